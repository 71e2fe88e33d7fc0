/* Peterson's algorithm: two processes share one critical section and never
 * meet in it.
 *
 *   assay verify peterson.pml
 *   assay verify peterson.pml --invariant 'inside <= 1'
 */
bool wants[2];
byte turn;
byte inside; /* how many processes are in the critical section */

active [2] proctype process()
{
	do
	:: wants[_pid] = true;
	   turn = 1 - _pid;
	   !wants[1 - _pid] || turn == _pid;
	   inside++;
	   assert(inside == 1);
	   inside--;
	   wants[_pid] = false
	od
}
