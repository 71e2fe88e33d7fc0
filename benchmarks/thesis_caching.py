"""Tables 4.1 and 4.2 of Taleghani's thesis (2010), figures as printed.

Time and redundant work of a search with a cache, each as a multiple of the search without one;
`TO`: not finished after 25 times as long. Columns are the policies of `POLICIES`.
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks import thesis

POLICIES = ("cost", "random", "age", "hits", "stratified", "depth")
ROWS = (
    thesis.PHILOSOPHERS,
    thesis.BUFFER,
    thesis.NESTED_MONITOR,
    thesis.KSU_PIPELINE,
    thesis.PIPELINE,
    thesis.READERS_WRITERS,
    thesis.REPLICATED_WORKERS,
    thesis.BARBER,
    thesis.ELEVATOR,
)

# For each size of the cache in per cent of the states, one line for each of ROWS.
PRINTED = {
    15: """
        23 21  TO N/A  TO N/A  TO N/A  TO N/A  TO N/A
        TO N/A TO N/A  TO N/A  TO N/A  TO N/A  TO N/A
        TO N/A TO N/A  TO N/A  TO N/A  TO N/A  TO N/A
        TO N/A 24 23   TO N/A  TO N/A  TO N/A  TO N/A
        24 21  24 24   25 24   TO N/A  25 25   TO N/A
        24 21  TO N/A  TO N/A  25 23   TO N/A  TO N/A
        TO N/A TO N/A  TO N/A  TO N/A  TO N/A  TO N/A
        23 20  TO N/A  TO N/A  TO N/A  TO N/A  25 24
        TO N/A TO N/A  TO N/A  TO N/A  TO N/A  TO N/A
    """,
    25: """
        11 10  14 13  17 15   17 13   18 17   16 13
        12 11  14 13  16 15   TO N/A  18 17   17 14
        14 12  16 14  TO N/A  16 11   17 16   15 13
        13 11  16 14  18 16   TO N/A  TO N/A  TO N/A
        12 11  16 15  15 15   TO N/A  18 17   16 15
        12 10  16 14  14 13   14 10   18 17   TO N/A
        14 11  16 16  15 14   TO N/A  19 18   15 15
        12 12  15 13  TO N/A  TO N/A  20 18   15 14
        13 9   15 14  14 12   16 12   TO N/A  16 15
    """,
    50: """
        7 7    10 9   13 12   13 10   14 14   12 12
        8 8    10 9   12 13   14 9    15 13   14 11
        9 7    11 11  13 12   14 9    13 12   12 11
        9 6    12 11  14 10   14 9    14 14   13 13
        9 8    10 10  13 12   13 9    14 13   13 11
        9 7    11 9   11 11   12 8    15 13   14 13
        10 8   11 12  13 11   13 8    14 13   13 11
        8 9    11 9   12 11   13 9    15 14   12 12
        9 6    11 10  11 12   12 10   16 13   13 12
    """,
    75: """
        4 3    5 5    8 7     8 6     8 8     7 6
        4 4    5 5    8 7     8 6     9 8     8 7
        5 4    5 6    8 7     8 5     8 7     7 6
        5 4    6 5    8 6     8 6     8 9     8 7
        5 4    6 5    7 7     8 6     8 8     8 7
        5 3    6 5    7 6     7 5     9 8     8 7
        5 4    6 6    7 7     8 5     9 9     8 7
        4 4    5 5    7 6     7 6     9 8     7 7
        5 4    5 5    6 7     8 5     9 8     8 7
    """,
    95: """
        2 2    2 3    4 5     5 4     4 4     4 4
        2 2    2 3    5 4     4 3     6 5     4 4
        3 2    3 3    5 4     5 4     5 5     4 3
        3 2    3 3    5 3     4 3     4 6     4 4
        2 2    3 3    4 4     5 4     4 4     4 5
        3 2    3 2    5 3     5 3     4 5     5 3
        3 2    3 3    4 4     5 3     5 5     4 4
        2 2    2 3    5 3     5 3     4 5     3 4
        2 2    3 3    4 4     4 4     5 4     4 4
    """,
}
SIZES = tuple(PRINTED)


@dataclass(frozen=True, slots=True)
class Cell:
    time: int
    redundant_work: int


def cell(program: thesis.Program, percent: int, policy: str) -> Cell | None:
    """None: the search timed out."""
    words = PRINTED[percent].strip().splitlines()[ROWS.index(program)].split()
    time, work = words[2 * POLICIES.index(policy) :][:2]
    return None if time == "TO" else Cell(int(time), int(work))
