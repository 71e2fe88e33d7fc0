import threading


class Translator:
    _lock = threading.Lock()
    _loaded = False
    _words = {}

    @classmethod
    def load(cls):
        if cls._loaded:
            return
        with cls._lock:
            if not cls._loaded:
                cls._loaded = True
                cls._words["hello"] = "hallo"
                cls._words["world"] = "welt"

    @classmethod
    def translate(cls, text):
        cls.load()
        return " ".join(cls._words[word] for word in text.split())


answers = []


def request(text):
    answers.append(Translator.translate(text))


threads = [threading.Thread(target=request, args=("hello world",)) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert answers == ["hallo welt", "hallo welt"]
