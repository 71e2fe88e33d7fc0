# handlers evaluated lazily; except with an expression; notes
def kinds():
    print("kinds evaluated")
    return (ValueError, KeyError)


try:
    pass
except kinds():
    pass
try:
    raise KeyError("x")
except kinds() as error:
    print("caught", error)
error = ValueError("base")
error.add_note("a note")
print(error.__notes__)
try:
    try:
        raise ValueError
    except "not a class":
        pass
except TypeError as error:
    print("TypeError")
