import logging

logger = logging.getLogger("app.part")
logger.setLevel(logging.WARNING)
logger.debug("not shown %s", 1)
print(logger.name, logger.isEnabledFor(logging.INFO), logger.isEnabledFor(logging.ERROR))
print(logging.getLogger("app.part") is logger, logging.INFO, logging.WARNING)
logger.info("still not shown")
print("done")
