/* The claim is a process, and processes can tell. */
byte seen;
proctype Child() { skip }
init { run Child(); (_nr_pr == 2) -> seen = 1; (_nr_pr == 1) -> seen = 2 }
ltl alone { <> (seen == 2) }
ltl together { <> (seen == 1) }
