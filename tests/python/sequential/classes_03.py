# methods are functions bound to instances
class Dog:
    def __init__(self, name):
        self.name = name

    def speak(self, sound="woof"):
        return f"{self.name}: {sound}"


d = Dog("rex")
f = d.speak
print(f(), f("arf"), Dog.speak(d), Dog.speak(Dog("x"), "y"))
Dog.run = lambda self: self.name + " runs"
print(d.run())
d.sit = lambda: "instance function"
print(d.sit())
print(f.__self__ is d, type(d).__name__, d.__class__ is Dog)
