try:
    raise ValueError("hidden")
except ValueError:
    raise RuntimeError("shown") from None
# ends with RuntimeError
