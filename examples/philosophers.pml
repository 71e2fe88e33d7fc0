/* Dining philosophers who all take the left fork first: one bad evening
 * everybody holds a left fork and waits for the right one.
 *
 *   assay verify philosophers.pml
 *   assay verify philosophers.pml -D SEATS=4
 */
#ifndef SEATS
#define SEATS 3
#endif

bool taken[SEATS];

active [SEATS] proctype philosopher()
{
	byte left = _pid;
	byte right = (_pid + 1) % SEATS;
	do
	:: atomic { !taken[left] -> taken[left] = true };
	   atomic { !taken[right] -> taken[right] = true };
	   /* eat */
	   taken[right] = false;
	   taken[left] = false
	od
}
