# from built-in types
class Stack(list):
    def push(self, x):
        self.append(x)

    def peek(self):
        return self[-1]


s = Stack([1, 2])
s.push(3)
print(s, len(s), s.peek(), s == [1, 2, 3], isinstance(s, list), s[0:2])


class Upper(str):
    def shout(self):
        return self.upper() + "!"


u = Upper("hey")
print(u.shout(), u + "x", len(u), u == "hey")


class Default(dict):
    def __missing__(self, key):
        return key * 2


d = Default(a=1)
print(d["a"], d["b"], "b" in d, d.get("b"))
