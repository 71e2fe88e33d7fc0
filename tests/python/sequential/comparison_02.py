# of containers and across types
print([1, 2] < [1, 3], [1] < [1, 0], (1, "a") < (1, "b"), "abc" < "abd" < "b")
print([1, 2] == (1, 2), {1: 2} == {1: 2.0}, {1, 2} == {2, 1}, 1 == "1")
print({1} < {1, 2}, {1, 2} <= {1, 2}, {1} > {2})
print(min([3, 1], [2, 9]), max("b", "ab"))
for a, b in ((1, "a"), ([], ()), (None, 0), ({}, {})):
    try:
        a < b
    except TypeError as error:
        print(error)
