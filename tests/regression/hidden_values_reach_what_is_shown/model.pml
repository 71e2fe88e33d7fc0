hidden byte h; short s;
active proctype P() { h = 3; s = h; assert(_nr_pr == 0) }
