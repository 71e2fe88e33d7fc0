/* Which functions of the C library do nothing, for programs of 32 bits: the headers of 64 bits ask for this
   file and do not have it. Found after all others, so where there is one it is taken. */
