/* SPIN overlooks it here, because no process is left. */
chan q = [1] of { byte };
active proctype main() { q!1 }
trace { do :: q!1; q?1 od }
