def numbers():
    try:
        yield 1
        yield 2
    except (ValueError, KeyError):
        print("not for the end")
    except OSError as problem:
        print(problem)


def first():
    for number in numbers():
        return number


print(first())
left = numbers()
print(next(left))
left = None
print("end")
