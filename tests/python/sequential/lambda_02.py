# lambdas in lambdas, immediately called
curry = lambda a: lambda b: lambda c: (a, b, c)
print(curry(1)(2)(3))
fact = (lambda f: lambda n: f(f, n))(lambda self, n: 1 if n == 0 else n * self(self, n - 1))
print(fact(10))
print((lambda x: [y for y in range(x) if (lambda z: z % 2)(y)])(6))
