# indexing, multiplication, comparison, iteration, ord and chr
s = "abc"
print(s[0], s[-1], s * 2, 2 * s, s * 0 == "", s + "d", "b" in s, list(s), len(s))
print(ord("a"), chr(97), chr(8364), ord("€"), [ord(c) for c in "hé"], chr(0x1F600) == "\U0001f600")
print("a" < "b", "B" < "a", "abc" < "abcd", max("hello"), min("hello"), sorted("hello"))
try:
    s[0] = "x"
except TypeError as error:
    print(error)
print("abc" == "ab" + "c", "".join(reversed(s)), s.encode(), "x".encode("utf-8").decode())
