# only what does not depend on the generator
import random

print(random.choice([7]), random.randint(3, 3), random.sample([1], 1), random.randrange(5, 6))
x = random.random()
print(0 <= x < 1, 1 <= random.randint(1, 6) <= 6, random.choice("abc") in "abc")
one = [4]
random.shuffle(one)
print(one)
random.seed(5)
print(2.0 <= random.uniform(2.0, 3.0) <= 3.0)
try:
    random.choice([])
except IndexError:
    print("nothing to choose from")
