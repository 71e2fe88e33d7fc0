"""Many small, different searches of one program that none of them can finish, and what they saw together."""

from __future__ import annotations

from assay.swarming.coordinator import swarm
from assay.swarming.result import SwarmResult, SwarmRun

__all__ = ["SwarmResult", "SwarmRun", "swarm"]
