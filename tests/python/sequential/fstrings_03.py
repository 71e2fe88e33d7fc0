# fmt: off
# nested fields
width, precision, fill = 12, 3, "*"
print(f"[{3.14159:{width}.{precision}f}]")
print(f"[{'mid':{fill}^{width}}]")
print(f"{'>'.join(f'{i:02}' for i in range(3))}")
items = {"a": 1}
print(f"{items['a']} {items.get('b', 'none')!r:>8}")
print(f"{(lambda v: v * 2)(4)} { {'k': 1}['k'] }")
print(f"{1,2} {[x for x in range(3)]} {(y := 5)} {y}")
