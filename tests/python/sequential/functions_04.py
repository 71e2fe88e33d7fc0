# several return values, documentation, attributes of functions
def divide(a, b):
    """Quotient and remainder."""
    return a // b, a % b


q, r = divide(17, 5)
print(q, r, divide(-17, 5))
print(divide.__doc__)
divide.calls = 3
divide.calls += 1
print(divide.calls, hasattr(divide, "other"))
print((lambda: None).__name__)
