print("before")
raise ValueError("the message")
# ends with ValueError
