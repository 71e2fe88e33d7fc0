z = 3 + 4j
print(z, abs(z), z.real, z.imag, z.conjugate(), z * 2, z * z, z + 1, -z)
print(1j * 1j, complex(1, -2), z == 3 + 4j, (1 + 2j) / (1 - 1j))
