"text" + 5
# ends with TypeError
