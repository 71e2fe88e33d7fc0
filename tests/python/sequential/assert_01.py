assert True
assert 1 + 1 == 2, "never shown"
try:
    assert 1 > 2
except AssertionError as error:
    print(repr(error), error.args)
try:
    assert [], ("a", 1)
except AssertionError as error:
    print(error.args)
try:
    assert 0, f"got {0}"
except AssertionError as error:
    print(error)


def noisy():
    print("message evaluated")
    return "m"


assert True, noisy()
try:
    assert False, noisy()
except AssertionError as error:
    print(error)
