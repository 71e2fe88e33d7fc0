# percent formatting
print("%d %s %r %5d|%-5d|%05d" % (1, "a", "b", 42, 42, 42))
print("%.2f %8.3f %e %g %x %X %o %c %%" % (3.14159, 2.5, 12345.678, 0.0001, 255, 255, 8, "z"))
print("%(a)s-%(b)03d" % {"a": "x", "b": 7})
print("%s" % (1,), "%s" % [1, 2], "%10s|%-10s|" % ("right", "left"))
print("%s %s" % ("two", None), "%+d %+d" % (3, -3))
try:
    "%d" % "a"
except TypeError:
    print("not a number")
