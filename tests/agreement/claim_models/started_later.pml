byte done;
proctype Worker(byte who) { atomic { done++ }; working: skip }
init { atomic { run Worker(1); run Worker(2) }; done == 2 }
ltl finish { <> (done == 2) }
ltl at_work { <> (Worker[1]@working && Worker[2]@working) }
ltl not_both { [] !(Worker[1]@working && done == 2) }
