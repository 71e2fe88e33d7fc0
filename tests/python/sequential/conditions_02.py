# and, or return operands and stop early
def note(x):
    print("note", x)
    return x


print(note(0) or note("b"))
print(note(1) or note("b"))
print(note(0) and note("b"))
print(note(1) and note("b"))
print(0 or [] or "last", 1 and [] and "last")
print(not 0 or 1 / 0)
print(1 if [] else 2 if {} else 3)
