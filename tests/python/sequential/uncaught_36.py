def endless():
    return endless()


print("start")
endless()
# ends with RecursionError
