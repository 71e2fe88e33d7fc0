# try in a generator and a with in a try
def g():
    for i in range(3):
        try:
            if i == 1:
                raise ValueError(i)
            yield i
        except ValueError as error:
            yield f"caught {error}"
        finally:
            yield f"finally {i}"


print(list(g()))


def depth(n):
    if n == 0:
        raise KeyError("bottom")
    try:
        depth(n - 1)
    finally:
        trail.append(n)


trail = []
try:
    depth(5)
except KeyError:
    print(trail)
