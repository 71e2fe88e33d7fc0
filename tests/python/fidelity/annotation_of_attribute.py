# fails
class Job:
    number: itn = 0


Job()
