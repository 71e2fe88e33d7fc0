try:
    print("try")
    raise ValueError("first")
finally:
    print("finally")
# ends with ValueError
