print(1)
print(1 / 0)
print("never")
# ends with ZeroDivisionError
