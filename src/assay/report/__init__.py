"""Facts into what people and programs read: console, progress line, JSON."""
