byte n;
active proctype P() { n = 1; n = 2; timeout -> n = 3; n = 4 }
never { do :: n != 4 -> c_code { ; } :: n == 4 -> goto accept od; accept: do :: n == 4 -> c_code { ; } od }
