/* Half of what the trace wants happens, and then nothing more. */
chan q = [2] of { byte };
active proctype main() { q!1; q!2; end: (false) }
trace { q!1; q!2; q?1 }
