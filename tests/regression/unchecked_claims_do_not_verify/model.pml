chan q = [1] of { byte };
active proctype main() { q!1 }
trace { do :: q!1 od }
