a = list(range(10))
print(a[2:5], a[:3], a[7:], a[-3:], a[:-7], a[::3], a[::-1], a[8:2:-2], a[5:5], a[100:], a[-100:2])
s = "abcdef"
print(s[1:3], s[::-1], s[-2:], s[::2], s[4:1:-1], repr(s[10:]))
t = (1, 2, 3, 4)
print(t[1:], t[::-1], t[:2])
print(a[slice(1, 4)], b"hello"[1:3], list(range(20)[5:15:3]))
