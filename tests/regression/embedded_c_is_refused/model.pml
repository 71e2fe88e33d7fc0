c_code { int n; }
active proctype main() { skip }
