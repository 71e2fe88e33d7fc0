assert []
# ends with AssertionError
