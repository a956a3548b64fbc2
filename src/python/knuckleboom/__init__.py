"""Hydraulic machines in real time: simulations, traces, sessions and environments for learning.

>>> import knuckleboom
>>> crane = knuckleboom.Simulation(scenario="stick_sine")
>>> run = crane.run(["t_s", "stick_rad"], every=10)     # dict of arrays, one value every 10 ms
>>> crane.hash                                          # the 'state' of `knuckleboom run stick_sine`
'...'

Units are SI. docs/reference/python.md has the whole at a glance, docs/tutorials/python.md a first hour.
"""

from ._engine import (
    Batch,
    Connection,
    KnuckleboomError,
    LinearModel,
    Session,
    Signal,
    Simulation,
    State,
    Trace,
    __version__,
    config_folders,
    exercises,
    machines,
    read_session,
    read_trace,
    scenarios,
)
from .environment import SingleLog, SingleLogBatch, TipTracking, TipTrackingBatch

__all__ = [
    "Batch",
    "Connection",
    "KnuckleboomError",
    "LinearModel",
    "Session",
    "Signal",
    "Simulation",
    "SingleLog",
    "SingleLogBatch",
    "State",
    "TipTracking",
    "TipTrackingBatch",
    "Trace",
    "__version__",
    "config_folders",
    "exercises",
    "machines",
    "read_session",
    "read_trace",
    "scenarios",
]
