import math

print(math.sqrt(16), math.floor(2.7), math.ceil(2.1), math.floor(-2.5), math.trunc(-2.7), math.fabs(-3))
print(math.gcd(12, 18), math.lcm(4, 6), math.factorial(20), math.comb(5, 2), math.perm(5, 2), math.isqrt(17))
print(math.pi, math.e, math.inf, math.isnan(math.nan), math.isinf(-math.inf), math.isclose(0.1 + 0.2, 0.3))
print(
    math.hypot(3, 4),
    math.prod([1, 2, 3, 4]),
    math.fsum([0.1] * 10),
    math.copysign(2, -0.0),
    math.modf(2.5),
    math.fmod(-7, 3),
)
print(math.log(1), math.log2(8), math.log10(1000), math.exp(0), math.pow(2, 3), math.sin(0), math.cos(0))
print(math.degrees(math.pi), math.radians(180) == math.pi, math.atan2(0, 1), math.tau)
