import threading
from dataclasses import dataclass, field


@dataclass
class Key:
    name: str
    number: int = field(compare=False)

    def __hash__(self):
        return self.number


key = Key("a", 1)
found = {key: 0}


def look_up():
    assert found.get(key) == 0


def change():
    key.number = 2


threads = [threading.Thread(target=look_up), threading.Thread(target=change)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
