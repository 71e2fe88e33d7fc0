raise KeyError("quoted 'key'")
# ends with KeyError
