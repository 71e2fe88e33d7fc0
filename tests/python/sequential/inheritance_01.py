class Animal:
    def __init__(self, name):
        self.name = name

    def sound(self):
        return "..."

    def speak(self):
        return f"{self.name} says {self.sound()}"


class Dog(Animal):
    def sound(self):
        return "woof"


class Puppy(Dog):
    def __init__(self, name):
        super().__init__(name + " jr")

    def sound(self):
        return super().sound() + "!"


for a in (Animal("it"), Dog("rex"), Puppy("bo")):
    print(a.speak(), isinstance(a, Dog), type(a).__name__)
print(issubclass(Puppy, Animal), issubclass(Animal, Puppy), Puppy.__bases__[0].__name__)
