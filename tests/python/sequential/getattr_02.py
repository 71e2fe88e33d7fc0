# __setattr__, __delattr__, __getattribute__
class Record:
    def __setattr__(self, name, value):
        print("set", name, value)
        super().__setattr__(name, value)

    def __delattr__(self, name):
        print("del", name)
        super().__delattr__(name)


r = Record()
r.a = 1
r.a += 1
del r.a
print(hasattr(r, "a"))


class Constant:
    def __getattribute__(self, name):
        return f"<{name}>"


print(Constant().anything, Constant().x)
