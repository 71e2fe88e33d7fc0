"""Child processes: how they are started, watched, limited and ended. For whoever must not die with them."""
