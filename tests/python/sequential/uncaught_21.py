a, b = [1, 2, 3]
# ends with ValueError
