# fails
class A:
    def __getattr__(self, n):
        return "fallback"

    @property
    def p(self):
        raise AttributeError("inner")


try:
    A().p
except AttributeError:
    raise SystemExit(0)
assert False, "never raised"
