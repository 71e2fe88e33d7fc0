# tests on characters
for s in ("abc", "ABC", "a1", "12", " ", "", "Ab c", "_x", "é", "١"):
    print(
        repr(s),
        s.isalpha(),
        s.isdigit(),
        s.isalnum(),
        s.isspace(),
        s.isupper(),
        s.islower(),
        s.istitle(),
        s.isidentifier(),
    )
