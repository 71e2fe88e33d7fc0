/* SPIN reports r!2, which never happens. */
chan q = [1] of { byte };
chan r = [0] of { byte };
active proctype main() { if :: r!2 :: q!1 fi }
trace { do :: q!1 -> break :: r!1 od }
