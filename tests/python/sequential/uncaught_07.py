class AppError(Exception):
    pass


raise AppError("own", 2)
# ends with AppError
