int("12a")
# ends with ValueError
