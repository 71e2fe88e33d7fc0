# holds
X = type("X", (), {"a": 1})
assert X.a == 1
assert X.__module__ == "__main__"
assert repr(X()).startswith("<__main__.X object")
