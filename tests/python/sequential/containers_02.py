# what __getitem__ receives
class Show:
    def __getitem__(self, key):
        return key


s = Show()
print(s[1], s[1, 2], s["a"], s[...], s[(1,)])
print(s[1:2], s[:], s[::2], s[1:2, 3], s[-1:])
x = s[2:9:3]
print(x.start, x.stop, x.step, x == slice(2, 9, 3))
print(slice(None, 3).indices(10), slice(-3, None).indices(10), slice(None, None, -1).indices(4))
