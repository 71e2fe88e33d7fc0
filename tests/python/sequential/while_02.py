# nested loops with break and continue
i = 0
while True:
    i += 1
    j = 0
    while j < 3:
        j += 1
        if j == 2:
            continue
        if i == j:
            break
    else:
        print("full", i, j)
        if i > 2:
            break
        continue
    print("broken", i, j)
