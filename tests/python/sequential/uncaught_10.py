try:
    1 / 0
except ZeroDivisionError:
    [][1]
# ends with IndexError
