"""The command line: commands, their options, exit codes."""
