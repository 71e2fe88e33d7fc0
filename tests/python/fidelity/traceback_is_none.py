# refused
try:
    raise ValueError
except ValueError as e:
    assert e.__traceback__ is None
