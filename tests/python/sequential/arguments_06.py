# star arguments copy; mutation of containers passes through
def change(*args):
    args = args + (9,)
    return args


items = [1, 2]
print(change(*items), items)


def extend(target, **options):
    options["new"] = 1
    target.append(len(options))


given = {"a": 1}
extend(items, **given)
print(items, given)
