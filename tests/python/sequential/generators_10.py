# a generator keeps its locals and its place in nested loops and try
def g(n):
    for i in range(n):
        for j in range(i):
            try:
                if j == 1:
                    continue
                yield i, j
            finally:
                print("f", i, j)
        else:
            yield "row", i


for item in g(3):
    print(item)
