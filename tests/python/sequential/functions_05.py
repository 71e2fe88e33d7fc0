# nested definitions and shadowing
x = "global"


def outer():
    x = "outer"

    def inner():
        x = "inner"
        return x

    return x, inner(), x


print(outer(), x)


def shadow(len):
    return len + 1


print(shadow(4), len([1, 2]))
