# algorithms on text
def is_palindrome(text):
    letters = [c for c in text.lower() if c.isalpha()]
    return letters == letters[::-1]


def caesar(text, k):
    return "".join(chr((ord(c) - 97 + k) % 26 + 97) if c.islower() else c for c in text)


def count_words(text):
    counts = {}
    for word in text.split():
        counts[word] = counts.get(word, 0) + 1
    return sorted(counts.items(), key=lambda kv: (-kv[1], kv[0]))


print(is_palindrome("A man a plan a canal Panama"), is_palindrome("no"))
print(caesar("hello, world", 3), caesar(caesar("abc", 5), -5))
print(count_words("b a b c a b"))
print(" ".join(word[::-1] for word in "reverse every word".split()))
