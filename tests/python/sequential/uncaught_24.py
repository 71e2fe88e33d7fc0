with open_nothing as f:
    pass
# ends with NameError
