"""Python programs: compiled for the machine of the engine, which runs every schedule of their threads."""
