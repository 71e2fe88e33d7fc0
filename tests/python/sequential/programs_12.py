# run-length coding, roman numbers, binary search, all checked
def encode(text):
    out = []
    for c in text:
        if out and out[-1][0] == c:
            out[-1][1] += 1
        else:
            out.append([c, 1])
    return "".join(f"{n}{c}" for c, n in out)


def roman(n):
    out = ""
    for value, sign in (
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ):
        while n >= value:
            out += sign
            n -= value
    return out


def search(items, x):
    low, high = 0, len(items)
    while low < high:
        middle = (low + high) // 2
        if items[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low if low < len(items) and items[low] == x else None


print(encode("aaabccd"), [roman(n) for n in (4, 9, 1994, 2024)], [search([1, 3, 5, 7], x) for x in (1, 4, 7)])
