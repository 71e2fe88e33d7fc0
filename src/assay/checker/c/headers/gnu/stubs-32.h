/* Nothing: what headers of 64 bits ask for when they are read for 32. */
