/* Two processes guard a critical section with flags, but each looks at the
 * other's flag before it raises its own: both can look, then both enter.
 *
 *   assay verify broken_mutex.pml
 */
bool wants[2];
byte inside;

active [2] proctype process()
{
	do
	:: !wants[1 - _pid];
	   wants[_pid] = true;
	   inside++;
	   assert(inside == 1);
	   inside--;
	   wants[_pid] = false
	od
}
