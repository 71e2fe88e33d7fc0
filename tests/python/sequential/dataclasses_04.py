from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar


@dataclass
class Config:
    count: ClassVar[int] = 0
    path: str
    _: KW_ONLY
    debug: bool = False
    level: int = field(default=1, kw_only=True)

    def __post_init__(self):
        Config.count += 1


print(Config("a"), Config("b", debug=True, level=3), Config.count)
try:
    Config("a", True)
except TypeError:
    print("keyword only")


@dataclass(eq=False)
class Plain:
    x: int


print(Plain(1) == Plain(1), repr(Plain(1)) == "Plain(x=1)")
