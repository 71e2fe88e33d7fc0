"""Every place, in every form, at every granularity; which Assay judges otherwise than is right.

python -m tests.python.hiding
python -m tests.python.hiding --only closure
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.python.hiding.places import PLACES
from tests.python.hiding.programs import FORMS, RIGHT
from tests.python.hiding.trial import REFUSED, endings, wrong_in_cpython

GRANULARITIES = ("bytecode", "gil")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--only", default="", help="places whose name contains this")
    parser.add_argument("--granularity", action="append", choices=GRANULARITIES)
    options = parser.parse_args()
    places = [place for place in PLACES if options.only in place.name]
    wrong = [
        f"CPython: {line}"
        for line in wrong_in_cpython(
            (place, form) for place in places if not place.refused for form in FORMS if form.endings == RIGHT
        )
    ]
    results: Counter[str] = Counter()
    for place in places:
        for form in FORMS:
            for granularity in options.granularity or GRANULARITIES:
                found = endings(place, form, granularity)
                # One place of `gil` lies inside of `box[0] += 1`: only where getting the box is a call.
                expected = REFUSED if place.refused else form.endings
                is_right = found == expected or (
                    granularity == "gil" and form.name == "raced" and found == RIGHT
                )
                results["refused" if found == REFUSED else "judged"] += 1
                if not is_right:
                    wrong.append(
                        f"{place.name} {form.name} {granularity}: {sorted(found)}, not {sorted(expected)}"
                    )
    for line in wrong:
        print(line)
    print(
        ", ".join(f"{count} {result}" for result, count in results.items()), f"{len(wrong)} wrong", sep=", "
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
