# throw
def resilient():
    while True:
        try:
            x = yield "ready"
            print("got", x)
        except ValueError as error:
            print("caught", error)
            yield "recovered"


g = resilient()
print(next(g))
print(g.send(1))
print(g.throw(ValueError("bad")))
print(next(g))
try:
    g.throw(KeyError("k"))
except KeyError as error:
    print("out", error)
print(next(g, "finished"))
