"""Tasks that succeed, raise, report, crash, eat memory or sleep; done in worker processes."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path


class Refused(Exception):
    def __init__(self, what, *, why):
        super().__init__(what, why)
        self.what = what
        self.why = why

    def __reduce__(self):
        return _refused, (self.what, self.why)


def _refused(what, why):
    return Refused(what, why=why)


class CannotTravel(Exception):
    def __init__(self, *, why):
        super().__init__(f"because {why}")


def square(task, report):
    return task * task


def slow_square(task, report):
    time.sleep(0.1)
    return task * task


def last_first(task, report):
    """The smaller the task, the longer it takes."""
    time.sleep((3 - task) * 0.1)
    return task


def who(task, report):
    return os.getpid()


def refuse(task, report):
    if task == 2:
        raise Refused("two", why="it is even")
    return task


def refuse_untravelled(task, report):
    raise CannotTravel(why="it has a keyword")


def leave(task, report):
    sys.exit(3)


def unpicklable(task, report):
    return lambda: task


def countdown(task, report):
    for left in range(task, 0, -1):
        report({"left": left})
    return "zero"


def slow_countdown(task, report):
    for left in range(task, 0, -1):
        report(left)
        time.sleep(0.3)
    return "zero"


def die_the_first_time(task, report):
    marker, value = Path(task[0]), task[1]
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return value


def crash(task, report):
    if task:
        os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(30)


def quit_with_words(task, report):
    os.write(2, b"no more paper\n")
    os._exit(7)


def grow(task, report):
    kept = bytearray(task)
    kept[::4096] = b"x" * len(kept[::4096])
    time.sleep(20 if task > 150 << 20 else 0)
    return len(kept)


def sleep(task, report):
    report(os.getpid())
    time.sleep(task)


def start_a_sleeper(task, report):
    """A grandchild that nobody waits for; reports its number and sleeps."""
    sleeper = subprocess.Popen(["sleep", "60"])
    report(sleeper.pid)
    time.sleep(60)


def chatter(task, report):
    print("disturbing" * 1000)
    return sys.stdin.read()


def large(task, report):
    report(len(task))
    return task * 2


def stack_limit(task, report):
    return resource.getrlimit(resource.RLIMIT_STACK)[0]
