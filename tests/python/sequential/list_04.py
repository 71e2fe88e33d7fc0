# a list that holds itself, identity and equality
a = [1]
a.append(a)
print(a, a[1] is a, len(a))
x = [1, 2]
y = x
z = x[:]
x.append(3)
print(y, z, x is y, x == z)
nested = [[1], [2]]
shallow = list(nested)
nested[0].append(9)
print(shallow)
d = {}
d["me"] = d
print(d)
