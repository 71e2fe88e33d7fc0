"""`concurrent.futures.thread`, where many programs look for what the package itself has."""

from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import _BrokenThreadPool as BrokenThreadPool
