# class methods keep registries; static methods stored and passed on
class Plugin:
    registry = {}

    @classmethod
    def register(cls, name):
        def decorate(function):
            cls.registry[name] = function
            return function

        return decorate


@Plugin.register("double")
def double(x):
    return 2 * x


@Plugin.register("negate")
def negate(x):
    return -x


print(sorted(Plugin.registry), Plugin.registry["double"](4), negate(3))


class Tools:
    @staticmethod
    def add(a, b):
        return a + b

    apply = [add.__func__(1, 2)]


f = Tools.add
print(f(1, 2), Tools().add(3, 4), Tools.apply)
