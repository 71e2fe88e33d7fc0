class Silent(Exception):
    pass


raise Silent
# ends with Silent
