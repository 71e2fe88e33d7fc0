# printing
for x in (
    1.0,
    0.1,
    1 / 3,
    1e16,
    1e15,
    123456789012345680.0,
    1e-4,
    1e-5,
    1.5e300,
    -0.0,
    0.1 + 0.2,
    100.0,
    2.5,
    1e22,
    1e23,
    5e-324,
    1.7976931348623157e308,
):
    print(x, repr(x), str(x) == repr(x))
print(float("inf"), float("-inf"), float("nan"), -float("inf"))
print([1.0, 2.50], (0.5,), {1.5: 2.0})
