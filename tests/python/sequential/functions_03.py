# functions are values
def twice(f, x):
    return f(f(x))


def add_three(x):
    return x + 3


table = {"add": add_three, "square": lambda x: x * x}
print(twice(add_three, 1))
print(twice(table["square"], 3))
print([f(5) for f in (add_three, table["square"], abs, str)])
print(callable(add_three), callable(3), callable(str), callable(lambda: 0))
alias = add_three
print(alias is add_three, alias(0))
