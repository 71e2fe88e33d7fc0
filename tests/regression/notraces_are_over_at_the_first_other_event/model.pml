chan q = [3] of { byte };
active proctype main() { if :: q!1; q!2 :: q!1; q!3; q!2 :: q!1 fi }
notrace { q!1; q!2 }
