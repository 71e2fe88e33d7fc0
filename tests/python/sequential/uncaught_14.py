undefined_name
# ends with NameError
