# the name of an exception is gone after its handler
try:
    raise ValueError("x")
except ValueError as error:
    kept = error
try:
    error
except NameError:
    print("gone")
print(kept.args, str(kept), repr(kept))
error = "outer"
try:
    raise ValueError
except ValueError as error:
    pass
try:
    print(error)
except NameError:
    print("the outer one is gone, too")
