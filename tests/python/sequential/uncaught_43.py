{}[{}]
# ends with TypeError
