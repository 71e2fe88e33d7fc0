"""Search-carrying code as Taleghani's thesis defines it (2010, chapter 3 and sections 4.3, 4.4).

Plain Python over plain values: the specification beside the native certifier, the oracle of its tests,
and the ground of every comparison with the thesis's tables. One module for each algorithm:

- `certification`: Algorithm 3.1, sequential certification with the map FP;
- `trustful`: the perfect search of 3.1.3;
- `partition`: Algorithm 3.2, regions by subtrees, and our intervals beside them;
- `parallel`: certification of the regions and the comparison of their maps (3.2.2);
- `duplicates`: Algorithm 4.2, scripts of searches that forgot states;
- `forgetting`: certification that forgets (4.4).
"""
