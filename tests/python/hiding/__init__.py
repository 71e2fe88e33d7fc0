"""Programs that keep shared data where a state could forget it: the places, and what is asked of each."""
