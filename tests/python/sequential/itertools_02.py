from itertools import combinations, combinations_with_replacement, permutations, product

print(list(product("ab", [1, 2])), list(product([0, 1], repeat=2)), list(product()))
print(list(permutations([1, 2, 3], 2)), len(list(permutations(range(5)))))
print(list(combinations("abcd", 2)), list(combinations([1, 2], 3)))
print(list(combinations_with_replacement("ab", 2)))
print(["".join(p) for p in permutations("abc")])
