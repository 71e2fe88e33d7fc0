# fails
import traceback

try:
    1 / 0
except ZeroDivisionError:
    text = traceback.format_exc()
assert "Traceback" not in text
