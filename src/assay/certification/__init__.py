"""Certification: walking a program along a certificate, in tasks that share nothing.

The processes that walk import `task` alone and stay small; the coordinator and
what it needs are imported when somebody asks for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.certification.coordinator import certify
    from assay.certification.request import CertificationProgress

__all__ = ["CertificationProgress", "certify"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'assay.certification' has no attribute {name!r}")
    from assay.certification import coordinator, request

    value: object = getattr(coordinator if name == "certify" else request, name)
    globals()[name] = value
    return value
