# algorithms
def bubble(items):
    items = items[:]
    for i in range(len(items)):
        for j in range(len(items) - 1 - i):
            if items[j] > items[j + 1]:
                items[j], items[j + 1] = items[j + 1], items[j]
    return items


def quick(items):
    if len(items) <= 1:
        return items
    pivot, *rest = items
    return quick([x for x in rest if x < pivot]) + [pivot] + quick([x for x in rest if x >= pivot])


def merge(a, b):
    out = []
    while a and b:
        out.append(a.pop(0) if a[0] <= b[0] else b.pop(0))
    return out + a + b


data = [5, 2, 9, 1, 5, 6, -3, 0]
print(bubble(data), quick(data), merge([1, 4, 6], [2, 3, 7, 8]), data)
