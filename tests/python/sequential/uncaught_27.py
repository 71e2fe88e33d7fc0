class Odd(Exception):
    def __str__(self):
        return "from __str__"


raise Odd("ignored")
# ends with Odd
