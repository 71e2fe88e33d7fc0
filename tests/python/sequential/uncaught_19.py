next(iter([]))
# ends with StopIteration
