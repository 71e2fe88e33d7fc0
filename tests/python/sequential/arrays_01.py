"""Arrays of numbers, and what is said about numbers that they cannot hold."""

import array as module
from array import array
from copy import copy, deepcopy


def told(function, *arguments):
    try:
        print(function(*arguments))
    except Exception as error:
        print(type(error).__name__, error)


numbers = array("B", [0]) * 4
numbers[1] |= 3
numbers[-1] = 255
print(numbers, len(numbers), numbers[1], list(numbers), numbers.tolist(), numbers.typecode, numbers.itemsize)
for kind in "bBhHiIlLqQ":
    print(kind, array(kind).itemsize)
    for value in (-(2**63) - 1, -(2**31) - 1, -(2**15) - 1, -129, -1, 256, 2**16, 2**32, 2**64, 1.5, "a"):
        told(array, kind, [value])
for kind in "fd":
    told(array, kind, [1, 0.5, True])
    told(array, kind, ["1"])
    told(array, kind, [None])
print(array("f", [0.1])[0], array("d", [0.1])[0])
told(array, "x")
told(array, "bb")
told(array, "b", "text")
told(array, "u", "text")
told(array, "u", ["ab"])
told(array, "h", b"\x01\x02\x03")
print(array("h", b"\x01\x00\x02\x00"), array("H", [258]).tobytes(), bytes(array("H", [258])))
numbers = array("i", range(5))
numbers.append(7)
numbers.extend([8, 9])
numbers.extend(array("i", [10]))
numbers.insert(0, 6)
print(numbers, numbers.pop(), numbers.pop(0), numbers.index(7), numbers.count(1), 7 in numbers, 70 in numbers)
numbers.remove(7)
numbers.reverse()
numbers += array("i", [1])
numbers *= 2
print(numbers, numbers[1:3], numbers[::-2], numbers + array("i", [1]), 2 * array("i", [3]))
numbers[0:2] = array("i", [9])
del numbers[0]
del numbers[1:]
numbers.fromlist([5, 4])
numbers.frombytes(b"\x01\x00\x00\x00")
print(numbers, copy(numbers) == numbers, deepcopy(numbers) is numbers, numbers < array("i", [100]))
print(array("b") == array("i"), array("b", [1]) == array("d", [1.0]), array("b", [1]) == [1], array("b"))
told(numbers.__getitem__, 100)
told(numbers.__setitem__, 100, 1)
told(numbers.__setitem__, 0, 2**40)
told(numbers.__getitem__, "a")
told(numbers.remove, 77)
told(numbers.index, 77)
told(numbers.pop, 77)
told(array("b").pop)
told(lambda: numbers + [1])
told(lambda: numbers * "x")
told(numbers.__setitem__, slice(0, 1), [1])
told(numbers.__setitem__, slice(0, 1), array("b"))
told(numbers.__delitem__, 100)
told(numbers.__delitem__, "a")
told(numbers.__iadd__, [1])
told(numbers.__iadd__, array("b"))
told(numbers.tounicode)
told(lambda: numbers + array("b"))
told(numbers.extend, array("b"))
told(numbers.fromlist, (1,))
print(module.typecodes, [item for item in array("u", "ab")], array("u", "ab").tounicode())
print(
    sum(numbers), max(numbers), sorted(numbers), [*reversed(numbers)], [*enumerate(numbers)], bool(array("b"))
)
