# holds
class Odd(list):
    def __iter__(self):
        return iter((0,))


class OddDict(dict):
    def __iter__(self):
        return iter((0,))


assert 1 in Odd([1]) and 0 not in Odd([1])
assert 1 in OddDict({1: 2}) and 0 not in OddDict({1: 2})
assert list(Odd([1])) == [0]
