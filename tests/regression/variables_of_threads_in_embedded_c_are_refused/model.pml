c_decl { __thread int n; }
active proctype main() { c_code { n = 1; } }
