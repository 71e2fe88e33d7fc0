"""An adversary's probes: programs that aim at holes, judged by the machine and by the real CPython."""
