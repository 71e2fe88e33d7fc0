"""The module `logging`, as far as programs use it to tell what they do.

Records are formatted as far as their message and written to the program's output, which is no part of a state. Writing
is not a place where threads wait for each other here, though CPython's handlers have a lock: nothing but the output
depends on it. Handlers that the program defines are called with their lock held, as there.
"""

import _assay
from _thread import RLock, _main_identity
from _unknown import Unknown
from traceback import format_exception as _format_exception

CRITICAL = 50
FATAL = 50
ERROR = 40
WARNING = 30
WARN = 30
INFO = 20
DEBUG = 10
NOTSET = 0

_names = {50: "CRITICAL", 40: "ERROR", 30: "WARNING", 20: "INFO", 10: "DEBUG", 0: "NOTSET"}
_levels = {
    "CRITICAL": 50, "FATAL": 50, "ERROR": 40, "WARNING": 30, "WARN": 30, "INFO": 20, "DEBUG": 10, "NOTSET": 0,
}  # fmt: skip


def getLevelName(level):
    if level in _names:
        return _names[level]
    if level in _levels:
        return _levels[level]
    return "Level " + str(level)


def addLevelName(level, levelName):
    _names[level] = levelName
    _levels[levelName] = level


def _level_of(level):
    if isinstance(level, int):
        return level
    if isinstance(level, str):
        if level not in _levels:
            raise ValueError("Unknown level: " + repr(level))
        return _levels[level]
    raise TypeError("Level not an integer or a valid string: " + repr(level))


class LogRecord:
    def __init__(self, name, level, pathname, lineno, msg, args, exc_info, func=None, sinfo=None, **kwargs):
        if pathname is not None:  # where the program logs is not known
            self.pathname = pathname
            self.filename = pathname.rpartition("/")[2]
            self.module = self.filename.rpartition(".")[0] or self.filename
            self.lineno = lineno
            self.funcName = func
            self.stack_info = sinfo
            self.exc_text = None
            self.msecs = Unknown("LogRecord.msecs", 0)
            self.relativeCreated = Unknown("LogRecord.relativeCreated", 0)
            self.thread = Unknown("LogRecord.thread", 0)
            self.processName = "MainProcess"
            self.process = 1
        self.name = name
        self.levelno = level
        self.levelname = getLevelName(level)
        self.msg = msg
        if args and len(args) == 1 and isinstance(args[0], dict) and args[0]:
            args = args[0]
        self.args = args
        self.exc_info = exc_info
        self.created = Unknown("time.time()", 0)
        self.threadName = "MainThread"
        thread = _assay.current()
        if thread is not None and hasattr(thread, "name"):
            self.threadName = thread.name
        elif thread is not _main_identity:
            _assay.unsupported(
                "logging in a thread of the module _thread is not modelled; use threading.Thread"
            )

    def getMessage(self):
        return str(self.msg) % self.args if self.args else str(self.msg)


class Formatter:
    def __init__(self, fmt=None, datefmt=None, style="%", validate=True, *, defaults=None):
        if style not in ("%", "{"):
            _assay.unsupported(
                "formats of logging with the style " + repr(style) + " are not modelled; use '%'"
            )
        self._format_style = style
        self._format_text = fmt or ("{message}" if style == "{" else "%(message)s")

    def formatTime(self, record, datefmt=None):
        return str(record.created)

    def format(self, record):
        text = self._format_text
        record.message = record.getMessage()
        fields = {
            "name": record.name,
            "levelno": record.levelno,
            "levelname": record.levelname,
            "message": record.message,
            "threadName": record.threadName,
        }
        if "asctime" in text:
            fields["asctime"] = self.formatTime(record)
        if "created" in text:
            fields["created"] = record.created
        text = text.format(**fields) if self._format_style == "{" else text % fields
        if record.exc_info and record.exc_info[1] is not None:
            text = text + ("" if text[-1:] == "\n" else "\n") + self.formatException(record.exc_info)
        return text

    def formatException(self, ei):
        return "".join(_format_exception(ei[1]))[:-1]


BASIC_FORMAT = "%(levelname)s:%(name)s:%(message)s"
_default_formatter = Formatter()
raiseExceptions = True


class Handler:
    """Where records go; to the output, if the program does not define what else."""

    def __init__(self, level=NOTSET):
        self.level = _level_of(level)
        self.lock = RLock()
        self.formatter = None

    def setLevel(self, level):
        _set_level(self, _level_of(level))

    def setFormatter(self, fmt):
        self.formatter = fmt

    def format(self, record):
        return (self.formatter or _default_formatter).format(record)

    def handle(self, record):
        with self.lock:
            self.emit(record)
        return True

    def emit(self, record):
        raise NotImplementedError("emit must be implemented by Handler subclasses")

    def handleError(self, record):
        pass

    def addFilter(self, filter):
        _assay.unsupported("filters of logging are not modelled; set levels instead")

    def flush(self):
        pass

    def close(self):
        pass

    def acquire(self):
        self.lock.acquire()

    def release(self):
        self.lock.release()


class StreamHandler(Handler):
    def __init__(self, stream=None):
        Handler.__init__(self)

    def emit(self, record):
        pass


class _StderrHandler(StreamHandler):
    def __init__(self, level=NOTSET):
        Handler.__init__(self, level)


class NullHandler(Handler):
    def emit(self, record):
        pass


class FileHandler(Handler):
    def __init__(self, filename, mode="a", encoding=None, delay=False, errors=None):
        _assay.unsupported("files are not modelled; use logging.StreamHandler() while checking")


@_assay.atomic
def _set_level(owner, level):
    owner.level = level


def _message(msg, args):
    text = str(msg)
    if args:
        if len(args) == 1 and isinstance(args[0], dict) and args[0]:
            args = args[0]
        try:
            text = text % args
        except Exception:  # CPython tells of it and goes on
            text = "--- Logging error ---"
    return text


class Logger:
    def __init__(self, name, level=NOTSET):
        self.name = name
        self.level = _level_of(level)
        self.parent = None
        self.propagate = True
        self.disabled = False
        self.handlers = []

    def setLevel(self, level):
        _set_level(self, _level_of(level))

    @_assay.atomic
    def getEffectiveLevel(self):
        return self._effective_level()

    def _effective_level(self):
        """Within atomic code."""
        logger = self
        while logger is not None:
            if logger.level:
                return logger.level
            logger = logger.parent
        return NOTSET

    @_assay.atomic
    def isEnabledFor(self, level):
        return level >= self._effective_level() and level > _disabled[0]

    def _log(self, level, msg, args, exc_info=None, extra=None, stack_info=False, stacklevel=1):
        handlers = self._handlers_for(level)
        if handlers is None:
            return
        _assay.write(getLevelName(level) + ":" + self.name + ":" + _message(msg, args) + "\n")
        if handlers:
            if isinstance(exc_info, BaseException):
                exc_info = (type(exc_info), exc_info, _assay.traceback())
            elif exc_info and not isinstance(exc_info, tuple):
                exception = _assay.handled()
                exc_info = (None, None, None)
                if exception is not None:
                    exc_info = (type(exception), exception, _assay.traceback())
            record = LogRecord(self.name, level, None, 0, msg, args, exc_info or None)
            if extra is not None:
                for key in extra:
                    if key in ("message", "asctime") or hasattr(record, key):
                        raise KeyError("Attempt to overwrite " + repr(key) + " in LogRecord")
                    setattr(record, key, extra[key])
            for handler in handlers:
                handler.handle(record)

    @_assay.atomic
    def _handlers_for(self, level):
        """Those that the program defines; None: the record goes nowhere."""
        if level < self._effective_level() or level <= _disabled[0]:
            return None
        found = []
        logger = self
        while logger is not None:
            for handler in logger.handlers:
                if type(handler) not in (StreamHandler, NullHandler) and level >= handler.level:
                    found.append(handler)
            logger = logger.parent if logger.propagate else None
        return found

    def debug(self, msg, *args, **kwargs):
        self._log(DEBUG, msg, args, **kwargs)

    def info(self, msg, *args, **kwargs):
        self._log(INFO, msg, args, **kwargs)

    def warning(self, msg, *args, **kwargs):
        self._log(WARNING, msg, args, **kwargs)

    def warn(self, msg, *args, **kwargs):
        self._log(WARNING, msg, args, **kwargs)

    def error(self, msg, *args, **kwargs):
        self._log(ERROR, msg, args, **kwargs)

    def exception(self, msg, *args, exc_info=True, **kwargs):
        self._log(ERROR, msg, args, exc_info=exc_info, **kwargs)

    def critical(self, msg, *args, **kwargs):
        self._log(CRITICAL, msg, args, **kwargs)

    def fatal(self, msg, *args, **kwargs):
        self._log(CRITICAL, msg, args, **kwargs)

    def log(self, level, msg, *args, **kwargs):
        if not isinstance(level, int):
            raise TypeError("level must be an integer")
        self._log(level, msg, args, **kwargs)

    def addHandler(self, hdlr):
        _add_handler(self, hdlr)

    @_assay.atomic
    def removeHandler(self, hdlr):
        if hdlr in self.handlers:
            self.handlers.remove(hdlr)

    def hasHandlers(self):
        return _has_handlers(self)

    def addFilter(self, filter):
        _assay.unsupported("filters of logging are not modelled; set levels instead")

    def getChild(self, suffix):
        return getLogger(suffix if self is root else self.name + "." + suffix)


class LoggerAdapter:
    def __init__(self, logger, extra=None):
        self.logger = logger
        self.extra = extra

    def process(self, msg, kwargs):
        kwargs["extra"] = self.extra
        return msg, kwargs

    def debug(self, msg, *args, **kwargs):
        self.log(DEBUG, msg, *args, **kwargs)

    def info(self, msg, *args, **kwargs):
        self.log(INFO, msg, *args, **kwargs)

    def warning(self, msg, *args, **kwargs):
        self.log(WARNING, msg, *args, **kwargs)

    def error(self, msg, *args, **kwargs):
        self.log(ERROR, msg, *args, **kwargs)

    def exception(self, msg, *args, exc_info=True, **kwargs):
        self.log(ERROR, msg, *args, exc_info=exc_info, **kwargs)

    def critical(self, msg, *args, **kwargs):
        self.log(CRITICAL, msg, *args, **kwargs)

    def log(self, level, msg, *args, **kwargs):
        if self.isEnabledFor(level):
            msg, kwargs = self.process(msg, kwargs)
            self.logger.log(level, msg, *args, **kwargs)

    def isEnabledFor(self, level):
        return self.logger.isEnabledFor(level)

    def setLevel(self, level):
        self.logger.setLevel(level)

    def getEffectiveLevel(self):
        return self.logger.getEffectiveLevel()

    def hasHandlers(self):
        return self.logger.hasHandlers()

    @property
    def name(self):
        return self.logger.name


@_assay.atomic
def _add_handler(logger, handler):
    if handler not in logger.handlers:
        logger.handlers.append(handler)


@_assay.atomic
def _has_handlers(logger):
    while logger is not None:
        if logger.handlers:
            return True
        logger = logger.parent
    return False


_disabled = [NOTSET]
root = Logger("root", WARNING)
_loggers = {}


@_assay.atomic
def getLogger(name=None):
    if not name or name == "root":
        return root
    if name not in _loggers:
        logger = Logger(name)
        _loggers[name] = logger
        _find_parents()
    return _loggers[name]


def _find_parents():
    """Within atomic code: the parent of a.b.c is a.b if there is such a logger, else a, else the root."""
    for name in _loggers:
        parent = root
        prefix = name
        while "." in prefix:
            prefix = prefix.rpartition(".")[0]
            if prefix in _loggers:
                parent = _loggers[prefix]
                break
        _loggers[name].parent = parent


def basicConfig(*, level=None, force=False, **kwargs):
    if "filename" in kwargs:
        _assay.unsupported("files are not modelled; let logging write to the output while checking")
    if level is not None and (force or not _has_handlers(root)):
        _set_level(root, _level_of(level))
    if not _has_handlers(root):
        _add_handler(root, StreamHandler())


@_assay.atomic
def disable(level=CRITICAL):
    _disabled[0] = _level_of(level)


def debug(msg, *args, **kwargs):
    root._log(DEBUG, msg, args, **kwargs)


def info(msg, *args, **kwargs):
    root._log(INFO, msg, args, **kwargs)


def warning(msg, *args, **kwargs):
    root._log(WARNING, msg, args, **kwargs)


warn = warning


def error(msg, *args, **kwargs):
    root._log(ERROR, msg, args, **kwargs)


def exception(msg, *args, exc_info=True, **kwargs):
    root._log(ERROR, msg, args, exc_info=exc_info, **kwargs)


def critical(msg, *args, **kwargs):
    root._log(CRITICAL, msg, args, **kwargs)


fatal = critical


def log(level, msg, *args, **kwargs):
    root._log(level, msg, args, **kwargs)


def shutdown(handlerList=None):
    pass


def getLoggerClass():
    return Logger


def getLevelNamesMapping():
    return dict(_levels)


def captureWarnings(capture):
    pass
