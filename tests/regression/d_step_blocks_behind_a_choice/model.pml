/* SPIN goes on with `else` here, though the option before it has begun and assigned g. */
byte g, h;

active proctype P()
{
	d_step {
		skip;
		if
		:: if :: g = 1 :: g = 2 fi; h == 1
		:: else -> h = 7
		fi
	}
}
