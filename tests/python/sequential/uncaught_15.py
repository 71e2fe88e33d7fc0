def f():
    print(local)
    local = 1


f()
# ends with UnboundLocalError
