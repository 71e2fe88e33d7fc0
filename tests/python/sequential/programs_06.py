# a state machine with a table of methods
class Door:
    def __init__(self):
        self.state = "closed"
        self.log = []

    def handle(self, event):
        transitions = {
            ("closed", "open"): "opened",
            ("opened", "close"): "closed",
            ("closed", "lock"): "locked",
            ("locked", "unlock"): "closed",
        }
        before = self.state
        self.state = transitions.get((before, event), before)
        self.log.append(f"{before} --{event}--> {self.state}")


door = Door()
for event in "open lock close lock open unlock open".split():
    door.handle(event)
print("\n".join(door.log))
