# an expression parser
class Parser:
    def __init__(self, text):
        self.tokens = text.replace("(", " ( ").replace(")", " ) ").split()

    def peek(self):
        return self.tokens[0] if self.tokens else None

    def take(self):
        return self.tokens.pop(0)

    def expression(self):
        value = self.term()
        while self.peek() in ("+", "-"):
            value = value + self.term() if self.take() == "+" else value - self.term()
        return value

    def term(self):
        value = self.factor()
        while self.peek() in ("*", "/"):
            value = value * self.factor() if self.take() == "*" else value / self.factor()
        return value

    def factor(self):
        token = self.take()
        if token == "(":
            value = self.expression()
            self.take()
            return value
        return int(token)


for text in ("1 + 2 * 3", "( 1 + 2 ) * 3", "8 / 2 - 3 * ( 4 - 5 )"):
    print(text, "=", Parser(text).expression())
