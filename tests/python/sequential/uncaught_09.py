try:
    int("x")
except ValueError as error:
    raise KeyError("outer") from error
# ends with KeyError
