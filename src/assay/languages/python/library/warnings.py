"""The module `warnings`: warnings go nowhere."""


def warn(message, category=None, stacklevel=1, source=None):
    pass


def simplefilter(action, category=Warning, lineno=0, append=False):
    pass


def filterwarnings(action, message="", category=Warning, module="", lineno=0, append=False):
    pass
