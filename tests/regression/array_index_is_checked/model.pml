byte a[3]; byte i;
active proctype p() { do :: a[i] = 1; i++ od }
