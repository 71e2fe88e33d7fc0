# exceptions of one's own
class AppError(Exception):
    pass


class NotFound(AppError):
    def __init__(self, what):
        super().__init__(f"{what} not found")
        self.what = what


class Coded(AppError):
    code = 7

    def __str__(self):
        return f"code {self.code}"


for error in (AppError("a", 1), NotFound("key"), Coded()):
    try:
        raise error
    except NotFound as e:
        print("NotFound", e, e.what, e.args)
    except AppError as e:
        print(type(e).__name__, e, e.args, repr(e))
