from dataclasses import asdict, astuple, dataclass, field, fields


@dataclass
class Base:
    id: int
    hidden: str = field(default="h", repr=False, compare=False)


@dataclass
class Derived(Base):
    extra: tuple = ()
    computed: int = field(init=False, default=0)

    def __post_init__(self):
        self.computed = self.id * 2


d = Derived(4, extra=(1, 2))
print(d, d.computed, d.hidden)
print(asdict(d), astuple(d), [f.name for f in fields(d)])
print(Base(1, "x") == Base(1, "y"), Base(1) == Derived(1))
