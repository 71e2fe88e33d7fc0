# eight queens
def queens(n, placed=()):
    row = len(placed)
    if row == n:
        yield placed
        return
    for column in range(n):
        if all(column != c and abs(column - c) != row - r for r, c in enumerate(placed)):
            yield from queens(n, (*placed, column))


solutions = list(queens(6))
print(len(solutions), solutions[0])
for c in solutions[0]:
    print("." * c + "Q" + "." * (5 - c))
