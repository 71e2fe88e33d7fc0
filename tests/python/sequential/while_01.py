n = 5
while n:
    n -= 1
    if n == 3:
        continue
    if n == 1:
        break
    print(n)
else:
    print("not reached")
while n > 0:
    n -= 1
else:
    print("else", n)
while False:
    pass
else:
    print("at once")
