# fails
log = []


def f(a: log.append(1)) -> log.append(2):
    pass


assert log == []
