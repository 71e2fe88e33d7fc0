"""What synchronous programs ask `asyncio`: whether something is a coroutine. All else is refused where it is used."""

import inspect

iscoroutinefunction = inspect.iscoroutinefunction
iscoroutine = inspect.iscoroutine
