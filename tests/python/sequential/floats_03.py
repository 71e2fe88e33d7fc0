# round
print(
    round(2.5),
    round(3.5),
    round(-2.5),
    round(2.675, 2),
    round(1.005, 2),
    round(1234.5678, -2),
    round(1234, -2),
    round(0.5),
    round(1.5),
)
print(
    round(3.14159, 3),
    round(2.0),
    round(-0.4),
    type(round(2.5)).__name__,
    type(round(2.5, 0)).__name__,
    round(1e20),
    round(15, -1),
    round(25, -1),
)
print(abs(-2.5), divmod(7.5, 2), divmod(-7.5, 2), pow(2.0, 3), 2**0.5 * 2**0.5)
for bad in (
    lambda: int(float("nan")),
    lambda: int(float("inf")),
    lambda: 2.0**10000,
    lambda: 1.0 / 0,
    lambda: 1 % 0.0,
):
    try:
        print(bad())
    except (ValueError, OverflowError, ZeroDivisionError) as error:
        print(type(error).__name__, error)
