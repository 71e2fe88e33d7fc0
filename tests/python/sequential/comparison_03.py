# in, not in, is
print(2 in [1, 2], 2 not in (1, 2), "b" in "abc", "" in "abc", "bc" in "abc", "ac" in "abc")
print("k" in {"k": 1}, 1 in {"k": 1}, 3 in range(0, 10, 3), 4 in range(0, 10, 3))
a = []
b = []
print(a is b, a is not b, a == b, a is a)
print(b"b" in b"abc", 98 in b"abc", float("nan") in [1.0])
nan = float("nan")
print(nan in [nan], nan == nan, [nan] == [nan])
