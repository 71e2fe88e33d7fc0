if (n := len("hello")) > 3:
    print("long", n)
data = [1, 2, 3, 4]
while (x := data.pop()) > 2:
    print(x)
print(x, data)
print([y for v in range(5) if (y := v * 2) > 3], y)
print((a := 1, b := a + 1), a, b)
total = 0
print([total := total + v for v in [1, 2, 3]], total)
