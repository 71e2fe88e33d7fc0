[1, 2, 3][10]
# ends with IndexError
