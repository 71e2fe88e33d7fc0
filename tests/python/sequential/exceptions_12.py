# exceptions in loops, comprehensions, default arguments and conditions
values = ["1", "x", "3", None]
good = []
for v in values:
    try:
        good.append(int(v))
    except ValueError:
        continue
    except TypeError:
        break
else:
    print("never")
print(good)
try:
    [10 // n for n in (2, 0, 1)]
except ZeroDivisionError as error:
    print(error)
try:
    if [] < 3:
        pass
except TypeError:
    print("condition")
try:
    {x: 1 for x in ([],)}
except TypeError as error:
    print(error)
