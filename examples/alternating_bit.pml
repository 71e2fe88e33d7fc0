/* The alternating bit protocol (Bartlett, Scantlebury, Wilkinson 1969) over
 * lines that lose messages: the sender repeats a message until its bit comes
 * back; the receiver takes a message only when its bit is the one expected.
 *
 * Every message must arrive exactly once and in order. Numbers wrap around at
 * MAX, which is enough to tell a lost or doubled message.
 *
 *   assay verify alternating_bit.pml
 */
#ifndef MAX
#define MAX 8
#endif

mtype = { message, acknowledgement };

chan to_receiver = [2] of { mtype, byte, bit };
chan to_sender = [2] of { mtype, bit };

active proctype sender()
{
	byte number;
	bit sent, seen;

	do
	:: to_receiver!message(number, sent)
	:: to_sender?acknowledgement(seen);
	   if
	   :: seen == sent ->
	      number = (number + 1) % MAX;
	      sent = 1 - sent
	   :: else /* an old one: go on repeating */
	   fi
	od
}

active proctype receiver()
{
	byte number, expected;
	bit got, next;

	do
	:: to_receiver?message(number, got);
	   if
	   :: got == next ->
	      assert(number == expected);
	      expected = (expected + 1) % MAX;
	      next = 1 - next
	   :: else /* seen before */
	   fi;
	   to_sender!acknowledgement(got)
	od
}

/* Takes from both lines whatever it likes. */
active proctype loss()
{
end:	do
	:: to_receiver?message(_, _)
	:: to_sender?acknowledgement(_)
	od
}
