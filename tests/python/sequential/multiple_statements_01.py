# fmt: off
a = 1; b = 2; print(a, b)
if a: print("one line"); print("two")
while a < 3: a += 1
print(a); x = (
    1 +
    2
)
print(x, 1 +\
 2)
def f(): return 1
class C: v = 3
print(f(), C.v)
for i in range(2): print(i)
print("é", "日本", 'x' "y")
