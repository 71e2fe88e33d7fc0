"""AMCS as a job of the child process: a search that has models compiled while it runs, with the compiler that
languages have."""

from __future__ import annotations

import threading
from typing import Any

from assay.languages.promela.compiler import compile_model
from assay.search.symbolic_jobs import work_amcs
from assay.transition_system.symbolic import SymbolicSystem


def work(system: SymbolicSystem, job: dict[str, Any], send: Any, stopped: threading.Event) -> None:
    work_amcs(system, job, send, stopped, compile_model)
