raise SystemError("two", "arguments")
# ends with SystemError
