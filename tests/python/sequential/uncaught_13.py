x = None
x.attribute
# ends with AttributeError
