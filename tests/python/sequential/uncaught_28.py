import collections

collections.deque().pop()
# ends with IndexError
