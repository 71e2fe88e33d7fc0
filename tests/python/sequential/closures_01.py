def counter():
    count = 0

    def step():
        nonlocal count
        count += 1
        return count

    return step


a, b = counter(), counter()
print(a(), a(), b(), a(), b())
