"""Environments of Gymnasium's shape: reset(seed), step(action), spaces.

Where gymnasium is installed, they are its environments and are registered with it
(gymnasium.make("knuckleboom/TipTracking-v0")); without it they work alone.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._engine import Batch, KnuckleboomError, Simulation

try:
    import gymnasium
    from gymnasium.spaces import Box

    _Env: Any = gymnasium.Env
except ImportError:
    gymnasium = None
    _Env = object

    class Box:  # type: ignore[no-redef]
        """Vectors between two limits, with the part of gymnasium.spaces.Box that learning needs."""

        def __init__(self, low: float, high: float, shape: tuple[int, ...], dtype: Any = np.float32) -> None:
            self.low = np.full(shape, low, dtype)
            self.high = np.full(shape, high, dtype)
            self.shape = shape
            self.dtype = np.dtype(dtype)
            self.seed(None)

        def seed(self, seed: int | None = None) -> None:
            self._random = np.random.default_rng(seed)

        def sample(self) -> np.ndarray:
            bounded = np.isfinite(self.low) & np.isfinite(self.high)
            between = self._random.uniform(np.where(bounded, self.low, 0.0), np.where(bounded, self.high, 1.0))
            return np.where(bounded, between, self._random.normal(size=self.shape)).astype(self.dtype)

        def contains(self, x: Any) -> bool:
            x = np.asarray(x)
            return bool(x.shape == self.shape and np.all(x >= self.low) and np.all(x <= self.high))


def _times(tick_s: float, seconds: float, control_Hz: float, dead_time_s: float) -> tuple[int, float, int, int, int]:
    """Ticks of a step, its length [s], steps of an episode; whole steps, and ticks of the next, of the dead time."""
    if not 0.0 < control_Hz * tick_s <= 1.0:
        raise KnuckleboomError(
            f"control_Hz is {control_Hz}: it must be above 0 and at most {1.0 / tick_s:g}, a step each tick"
        )
    for name, value, least in (("dead_time_s", dead_time_s, 0.0), ("seconds", seconds, tick_s)):
        if not least <= value < 1e9:
            raise KnuckleboomError(f"{name} is {value}: it must be a time of at least {least:g} s")
    exact = 1.0 / (control_Hz * tick_s)
    ticks = round(exact)
    if abs(exact - ticks) > 1e-6 * exact:
        more, less = (1.0 / (n * tick_s) for n in (math.floor(exact), math.ceil(exact)))
        raise KnuckleboomError(
            f"control_Hz is {control_Hz}: a step would be {exact:.6g} ticks, and it must be a whole number of them; "
            f"the nearest that work are {less:.10g} and {more:.10g}"
        )
    step_s = ticks * tick_s
    return ticks, step_s, round(seconds / step_s), *divmod(round(dead_time_s / tick_s), ticks)


class _Task:
    """Common part of the environments below: a machine at its start, names, times, and the path of the point."""

    FULL_V = 10.0
    RANGES = (1.2, 0.5, 0.9)  # of the point about its start: reach [m], slewing angle [rad], height [m]
    WAVES = 3  # sines in each of them
    FREQUENCIES_Hz = (0.02, 0.12)
    FADE_s = 2.0  # until the point moves in full

    def _prepare(
        self,
        machine: Any,
        joints: Sequence[str],
        start: Mapping[str, float],
        seconds: float,
        control_Hz: float,
        dead_time_s: float,
        set: Mapping[str, Any] | None,
        fidelity: str | None,
    ) -> tuple[list[str], list[str]]:
        keys = dict(set or {})
        for name, position in start.items():
            joint, _, unit = name.rpartition("_")
            if not joint:
                raise KnuckleboomError(f"start: '{name}' needs its unit, such as {name}_rad")
            keys[f"initial.{joint}.position_{unit}"] = position
        self.simulation = Simulation(machine, set=keys, fidelity=fidelity)
        self._ticks, self.step_s, self.steps, self._late_steps, self._late_ticks = _times(
            self.simulation.tick_s, seconds, control_Hz, dead_time_s
        )
        known = self.simulation.channels
        channels = []
        for joint in joints:
            unit = "m" if f"{joint}_m" in known else "rad"
            channels += [f"{joint}_{unit}", f"{joint}_{unit}_s", f"{joint}_valve_V"]
        channels += ["pump_Pa", "tip_x_m", "tip_y_m", "tip_z_m"]
        self.observation_names = (
            channels
            + [f"distance_{axis}_m" for axis in "xyz"]
            + [f"point_v{axis}_m_s" for axis in "xyz"]
            + [f"{joint}_action" for joint in joints]
        )
        return [f"{joint}_valve_V" for joint in joints], channels

    def _place(self, tip: np.ndarray) -> None:
        self._about = np.array([np.hypot(tip[0], tip[1]), np.arctan2(tip[1], tip[0]), tip[2]])

    def _waves(self, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Amplitudes, frequencies [Hz] and phases of a path's sines."""
        shape = (3, self.WAVES)
        share = random.dirichlet(np.ones(self.WAVES), 3)
        return (
            share * np.array(self.RANGES)[:, None],
            random.uniform(*self.FREQUENCIES_Hz, shape),
            random.uniform(0.0, 2.0 * np.pi, shape),
        )

    def _path_of(self, waves: tuple[np.ndarray, np.ndarray, np.ndarray], time_s: Any) -> tuple[np.ndarray, np.ndarray]:
        amplitudes, frequencies, phases = waves
        time_s = np.asarray(time_s, np.float64)
        s = np.minimum(1.0, time_s / self.FADE_s)[..., None]
        fade, fade_rate = s * s * (3.0 - 2.0 * s), 6.0 * s * (1.0 - s) / self.FADE_s
        turning = 2.0 * np.pi * frequencies
        angles = turning * time_s[..., None, None] + phases
        wave = (amplitudes * np.sin(angles)).sum(axis=-1)
        wave_rate = (amplitudes * turning * np.cos(angles)).sum(axis=-1)
        reach, angle, height = np.moveaxis(self._about + fade * wave, -1, 0)
        reach_rate, angle_rate, height_rate = np.moveaxis(fade * wave_rate + fade_rate * wave, -1, 0)
        c, s = np.cos(angle), np.sin(angle)
        across = reach * angle_rate
        return (
            np.stack([reach * c, reach * s, height], axis=-1),
            np.stack([reach_rate * c - across * s, reach_rate * s + across * c, height_rate], axis=-1),
        )


class TipTracking(_Task, _Env):
    """The tip of a crane is to follow a point that wanders through its reach.

    The valves are driven directly, so that everything between spool and tip is there: overlap and lag of the
    spools, one pump for all functions, compressible oil, a swinging load, and a dead time of the commands.

    action: float32 of shape (joints,), -1 to 1: command of each joint's valve, 1 is 10 V.
    observation: float32 of shape (len(observation_names),), each in the unit of its name: position, rate and
        valve command of each joint, pressure of the pump, position of the tip, distance to the point along the
        axes of the world, velocity of the point, and the last action.
    reward: minus the distance from tip to point [m].
    An episode is truncated after `seconds`; it never terminates.

    machine, set, fidelity: as of Simulation. joints: those that are driven; others that have a controller hold
    their start. start: joint positions by name and unit. dead_time_s: from an action to the valve's command.
    The same seed and the same actions give the same bits.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        machine: Any = "harvester_wheeled",
        *,
        joints: Sequence[str] = ("swing", "boom", "stick", "extension"),
        start: Mapping[str, float] = {"boom_rad": 0.65, "stick_rad": -1.4, "extension_m": 0.5},
        seconds: float = 20.0,
        control_Hz: float = 50.0,
        dead_time_s: float = 0.05,
        set: Mapping[str, Any] | None = None,
        fidelity: str | None = None,
    ) -> None:
        inputs, channels = self._prepare(machine, joints, start, seconds, control_Hz, dead_time_s, set, fidelity)
        self._connection = self.simulation.connect(inputs, channels)
        self._inputs = self._connection.inputs
        self._seen = self._connection.channels
        self._start = self.simulation.save()
        self._place(self._seen[-3:])
        self.action_space = Box(-1.0, 1.0, (len(joints),), np.float32)
        self.observation_space = Box(-np.inf, np.inf, (len(self.observation_names),), np.float32)
        self._random = np.random.default_rng()
        self._new_path()
        self._restart()

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Back to the start, with another path of the point: the same one for the same seed.

        Returns the observation and a dict with the distance from tip to point [m].
        """
        if gymnasium is not None:
            super().reset(seed=seed)
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self._new_path()
        self._restart()
        return self._observe()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """One step of control. Returns observation, reward, terminated, truncated and the dict of reset()."""
        action = np.minimum(np.maximum(np.asarray(action, np.float64), -1.0), 1.0)
        if action.shape != self._inputs.shape:
            raise KnuckleboomError(f"the action has the shape {action.shape}; it must be {self._inputs.shape}")
        if not np.isfinite(action).all():
            raise KnuckleboomError(f"the action {action} has a value that is no number")
        self._actions.append(action)
        if self._late_ticks > 0:
            self._inputs[:] = self._actions[0] * self.FULL_V
            self._connection.step(self._late_ticks)
        self._inputs[:] = self._actions[1] * self.FULL_V
        self._connection.step(self._ticks - self._late_ticks)
        self._step += 1
        observation, info = self._observe()
        return observation, -info["distance_m"], False, self._step >= self.steps, info

    def point(self, time_s: Any) -> tuple[np.ndarray, np.ndarray]:
        """Position [m] and velocity [m/s] of the point in the world at one or many times: shape (..., 3) each."""
        return self._path_of(self._path_waves, time_s)

    def _new_path(self) -> None:
        self._path_waves = self._waves(self._random)
        self._path = self.point(self.step_s * np.arange(self.steps + 1))

    def _restart(self) -> None:
        self.simulation.restore(self._start)
        self._connection.read()
        idle = np.zeros(self._inputs.shape)
        self._actions = deque([idle] * (self._late_steps + 2), maxlen=self._late_steps + 2)
        self._step = 0

    def _observe(self) -> tuple[np.ndarray, dict[str, Any]]:
        step = min(self._step, self.steps)
        distance = self._path[0][step] - self._seen[-3:]
        observation = np.concatenate((self._seen, distance, self._path[1][step], self._actions[-1]), dtype=np.float32)
        x, y, z = distance
        return observation, {"distance_m": math.sqrt(x * x + y * y + z * z)}


class TipTrackingBatch(_Task):
    """Many environments of TipTracking at once, over a Batch: a row of each array for each of them.

    Arguments as of TipTracking, and count: how many. lanes: as of Batch.
    action: float32 of shape (count, joints). observation: float32 of shape (count, len(observation_names)).
    All episodes begin and end together; after the step that says truncated call reset(). Environment i of
    reset(seed=s) is TipTracking's of reset(seed=s + i), bit for bit.
    """

    def __init__(
        self,
        count: int,
        machine: Any = "harvester_wheeled",
        *,
        joints: Sequence[str] = ("swing", "boom", "stick", "extension"),
        start: Mapping[str, float] = {"boom_rad": 0.65, "stick_rad": -1.4, "extension_m": 0.5},
        seconds: float = 20.0,
        control_Hz: float = 50.0,
        dead_time_s: float = 0.05,
        set: Mapping[str, Any] | None = None,
        fidelity: str | None = None,
        lanes: int | None = None,
    ) -> None:
        if not 1 <= count <= 1_000_000:
            raise KnuckleboomError(f"count is {count}: it must be a number of environments from 1 to 1000000")
        inputs, channels = self._prepare(machine, joints, start, seconds, control_Hz, dead_time_s, set, fidelity)
        self.num_envs = count
        self.batch = Batch([self.simulation] * count, inputs, channels, lanes=lanes)
        self._start = self.simulation.save()
        self._inputs, self._seen = self.batch.inputs, self.batch.channels
        self._place(self._seen[0, -3:])
        self.single_action_space = Box(-1.0, 1.0, (len(joints),), np.float32)
        self.action_space = Box(-1.0, 1.0, (count, len(joints)), np.float32)
        names = len(self.observation_names)
        self.single_observation_space = Box(-np.inf, np.inf, (names,), np.float32)
        self.observation_space = Box(-np.inf, np.inf, (count, names), np.float32)
        self._random = [np.random.default_rng() for _ in range(count)]
        self.reset()

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
        """All back to the start, with other paths. Returns the observations and a dict of distances [m]."""
        if seed is not None:
            self._random = [np.random.default_rng(seed + i) for i in range(self.num_envs)]
        times = self.step_s * np.arange(self.steps + 1)
        paths = [self._path_of(self._waves(random), times) for random in self._random]
        self._points = np.stack([path[0] for path in paths], axis=1)
        self._velocities = np.stack([path[1] for path in paths], axis=1)
        self.batch.restore_all(self._start)
        self.batch.read()
        idle = np.zeros(self._inputs.shape)
        self._actions = deque([idle] * (self._late_steps + 2), maxlen=self._late_steps + 2)
        self._step = 0
        return self._observe()

    def step(self, action: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One step of control of all. Returns observations, rewards, terminated, truncated and the dict of reset()."""
        action = np.minimum(np.maximum(np.asarray(action, np.float64), -1.0), 1.0)
        if action.shape != self._inputs.shape:
            raise KnuckleboomError(f"the action has the shape {action.shape}; it must be {self._inputs.shape}")
        if not np.isfinite(action).all():
            raise KnuckleboomError("the action has a value that is no number")
        self._actions.append(action)
        if self._late_ticks > 0:
            np.multiply(self._actions[0], self.FULL_V, out=self._inputs)
            self.batch.step(self._late_ticks)
        np.multiply(self._actions[1], self.FULL_V, out=self._inputs)
        self.batch.step(self._ticks - self._late_ticks)
        self._step += 1
        observation, info = self._observe()
        over = np.full(self.num_envs, self._step >= self.steps)
        return observation, -info["distance_m"], np.zeros(self.num_envs, bool), over, info

    def _observe(self) -> tuple[np.ndarray, dict[str, Any]]:
        step = min(self._step, self.steps)
        distance = self._points[step] - self._seen[:, -3:]
        observation = np.concatenate(
            (self._seen, distance, self._velocities[step], self._actions[-1]), axis=1, dtype=np.float32
        )
        x, y, z = distance.T
        return observation, {"distance_m": np.sqrt(x * x + y * y + z * z)}


class _Loading:
    """Common part of the environments below: one log, one bunk, and the machine that brings the one into the other."""

    JOINTS = ("swing", "boom", "stick", "extension", "rotator")
    # Lever, function, and what a full action is: straight to the valve, without dead zone, curve or ramp.
    LEVERS = (
        ("left_x", 'joint = "swing"', "full_V = 5"),
        ("right_y", 'joint = "boom"', "full_V = 10"),
        ("left_y", 'joint = "stick"', "full_V = 10"),
        ("left_rocker", 'joint = "extension"', "full_V = 10"),
        ("right_x", 'joint = "rotator"', "full_V = 8"),
        ("right_rocker", 'grapple = "close"', "full = 1"),
    )
    START = (
        ("swing", "position_deg = 0", "port_b_MPa = 5"),
        ("boom", "position_rad = 0.65", "port_b_MPa = 3"),
        ("stick", "position_rad = -1.4", "port_a_MPa = 1"),
        ("extension", "position_m = 0.5", "port_a_bar = 4"),
        ("rotator", "position_deg = 90", "port_b_MPa = 2"),
    )
    BUNK = (0.0, 6.0)  # m, x and y of its centre; it lies along x
    REACH_m = (5.0, 7.2)  # the log's distance from the slewing axis
    ANGLE_rad = (-0.6, 0.6)  # its direction from there
    SKEW_rad = 0.3  # at most, off lying across the crane
    LENGTH_m = (2.7, 4.0)
    RADIUS_m = (0.09, 0.16)
    PLACED = 10.0  # reward
    COLLISION = 1.0  # taken off for each
    SENSED = ("supply_Pa", "pump_flow_m3_s", "boom_port_a_Pa", "boom_port_b_Pa", "grapple_opening")
    GRIP = ("grip_x_m", "grip_y_m", "grip_z_m")
    TASK = ("held_log", "task_distance_m", "task_angle_rad", "task_phase", "score_collisions")

    def _prepare_loading(
        self,
        machine: str,
        seconds: float,
        control_Hz: float,
        dead_time_s: float,
        set: Mapping[str, Any] | None,
        fidelity: str | None,
    ) -> None:
        self._machine, self._set, self._fidelity = machine, dict(set or {}), fidelity
        levers = ['name = "straight"']
        for axis, function, full in self.LEVERS:
            levers += ["[[function]]", function, f'axis = "{axis}"', full, "start_V = [0, 0]"]
        self._levers = "\n".join(levers) + "\n"
        first = self._open(np.random.default_rng(0))[0]
        self._ticks, self.step_s, self.steps, self._late_steps, self._late_ticks = _times(
            first.tick_s, seconds, control_Hz, dead_time_s
        )
        self._lever_names = [f"lever_{axis}" for axis, _, _ in self.LEVERS]
        channels = []
        for joint in self.JOINTS:
            unit = "m" if f"{joint}_m" in first.channels else "rad"
            channels += [f"{joint}_{unit}", f"{joint}_{unit}_s", f"{joint}_valve_V"]
        for joint in ("head_pitch", "head_roll"):
            if f"{joint}_rad" in first.channels:
                channels += [f"{joint}_rad", f"{joint}_rad_s"]
        self._sensed = len(channels) + len(self.SENSED) + len(self.GRIP)
        self._channels = [*channels, *self.SENSED, *self.GRIP, *self.TASK]
        self.observation_names = (
            self._channels[: self._sensed]
            + ["held", "task_distance_m", "task_angle_rad"]
            + [f"log_{axis}_m" for axis in "xy"]
            + [f"bunk_{axis}_m" for axis in "xy"]
            + ["log_length_m", "log_radius_m", "log_heading_rad"]
            + [f"{name}_action" for name in (*self.JOINTS, "grapple")]
        )

    def _open(self, random: np.random.Generator) -> tuple[Simulation, np.ndarray]:
        """The exercise with a log as drawn; and the log: x, y, length, radius, heading."""
        reach, angle = random.uniform(*self.REACH_m), random.uniform(*self.ANGLE_rad)
        heading = angle + 0.5 * math.pi + random.uniform(-self.SKEW_rad, self.SKEW_rad)
        length, radius = random.uniform(*self.LENGTH_m), random.uniform(*self.RADIUS_m)
        x, y = reach * math.cos(angle), reach * math.sin(angle)
        lines = [
            'name = "single_log"',
            'title = "A single log"',
            f'machine = "{self._machine}"',
            'levers = "straight"',
            "load_space = false",
        ]
        for joint, *values in self.START:
            lines += [f"[start.{joint}]", *values]
        lines += ["[task]", 'kind = "logs"', "[[bunk]]", 'name = "bunk"']
        lines += [f"position_m = [{self.BUNK[0]!r}, {self.BUNK[1]!r}]", "length_m = 2.2", "width_m = 1.5"]
        lines += ["[[log]]", 'name = "log"', f"position_m = [{x!r}, {y!r}]", f"heading_rad = {heading!r}"]
        lines += [f"length_m = {length!r}", f"radius_m = {radius!r}"]
        lines += ["[[log_task]]", 'log = "log"', 'bunk = "bunk"']
        simulation = Simulation(
            exercise=("single_log", "\n".join(lines) + "\n"),
            levers=("straight", self._levers),
            set=self._set,
            fidelity=self._fidelity,
        )
        return simulation, np.array([x, y, length, radius, heading])

    def _checked(self, action: Any, shape: tuple[int, ...]) -> np.ndarray:
        action = np.minimum(np.maximum(np.asarray(action, np.float64), -1.0), 1.0)
        if action.shape != shape:
            raise KnuckleboomError(f"the action has the shape {action.shape}; it must be {shape}")
        if not np.isfinite(action).all():
            raise KnuckleboomError("the action has a value that is no number")
        return action

    def _seen_now(self, seen: np.ndarray, log: np.ndarray, action: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Observation and what is left to go [m], of one (shape (channels,)) or of many (shape (count, channels))."""
        held_log, distance, angle, phase, _ = np.moveaxis(seen[..., self._sensed :], -1, 0)
        held = (held_log >= 0.0).astype(np.float64)
        placed = phase == 2.0
        grip = seen[..., self._sensed - 3 : self._sensed - 1]
        to_log = (log[..., :2] - grip) * (1.0 - held)[..., None]
        to_bunk = np.array(self.BUNK) - grip
        carry = np.hypot(log[..., 0] - self.BUNK[0], log[..., 1] - self.BUNK[1])
        left = np.where(placed, 0.0, distance + np.where(held > 0.0, 0.0, carry))
        task = np.stack([held, distance, angle], axis=-1)
        parts = (seen[..., : self._sensed], task, to_log, to_bunk, log[..., 2:], action)
        return np.concatenate(parts, axis=-1, dtype=np.float32), left


class SingleLog(_Loading, _Env):
    """A log is to be gripped, lifted and laid into a bunk beside the machine.

    The valves are driven directly, with what makes it hard: overlap and lag of the spools, one pump for all
    functions, compressible oil, a swinging grapple, contact of log, jaws, ground and stakes, and a dead time of the
    commands.

    action: float32 of shape (6,), -1 to 1: valve commands of swing, boom, stick, extension and rotator, and of the
        jaws, above 0 closes.
    observation: float32 of shape (len(observation_names),), each in the unit of its name. log and bunk: from the
        grip to them, in the world's axes, the log's from where it lay; 0 while it is held.
    reward: metres by which what is left to go became less, +10 when the log lies still in the bunk, -1 for each
        collision. What is left: from grip to log, and from there to the bunk.
    An episode terminates when the log is in the bunk, and is truncated after `seconds`.

    machine: one with a grapple, set up as harvester_wheeled. set, fidelity: as of Simulation. dead_time_s: from an
    action to the lever. The seed draws place, direction and size of the log; the same seed and actions give the same
    bits.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        machine: str = "harvester_wheeled",
        *,
        seconds: float = 60.0,
        control_Hz: float = 50.0,
        dead_time_s: float = 0.05,
        set: Mapping[str, Any] | None = None,
        fidelity: str | None = None,
    ) -> None:
        self._prepare_loading(machine, seconds, control_Hz, dead_time_s, set, fidelity)
        self.action_space = Box(-1.0, 1.0, (len(self.LEVERS),), np.float32)
        self.observation_space = Box(-np.inf, np.inf, (len(self.observation_names),), np.float32)
        self._random = np.random.default_rng()
        self.reset()

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Another log: the same one for the same seed. Returns the observation and a dict of what is left to go [m]."""
        if gymnasium is not None:
            super().reset(seed=seed)
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self.simulation, self.log = self._open(self._random)
        self._connection = self.simulation.connect(self._lever_names, self._channels)
        self._inputs, self._seen = self._connection.inputs, self._connection.channels
        idle = np.zeros(self._inputs.shape)
        self._inputs[:] = idle
        self._actions = deque([idle] * (self._late_steps + 2), maxlen=self._late_steps + 2)
        self._step, self._collisions = 0, 0.0
        observation, left = self._seen_now(self._seen, self.log, idle)
        self._left = float(left)
        return observation, {"left_m": self._left}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """One step of control. Returns observation, reward, terminated, truncated and the dict of reset()."""
        self._actions.append(self._checked(action, self._inputs.shape))
        if self._late_ticks > 0:
            self._inputs[:] = self._actions[0]
            self._connection.step(self._late_ticks)
        self._inputs[:] = self._actions[1]
        self._connection.step(self._ticks - self._late_ticks)
        self._step += 1
        observation, left = self._seen_now(self._seen, self.log, self._actions[-1])
        placed, collisions = self._seen[-2] == 2.0, float(self._seen[-1])
        reward = self._left - float(left) + self.PLACED * placed - self.COLLISION * (collisions - self._collisions)
        self._left, self._collisions = float(left), collisions
        return observation, float(reward), bool(placed), self._step >= self.steps, {"left_m": self._left}


class SingleLogBatch(_Loading):
    """Many environments of SingleLog at once: a row of each array for each of them. Their contacts go beside the lanes.

    Arguments as of SingleLog, and count: how many. All episodes begin together; one whose log is in the bunk gets no
    more reward. Environment i of reset(seed=s) is SingleLog's of reset(seed=s + i), bit for bit.
    """

    def __init__(
        self,
        count: int,
        machine: str = "harvester_wheeled",
        *,
        seconds: float = 60.0,
        control_Hz: float = 50.0,
        dead_time_s: float = 0.05,
        set: Mapping[str, Any] | None = None,
        fidelity: str | None = None,
    ) -> None:
        if not 1 <= count <= 100_000:
            raise KnuckleboomError(f"count is {count}: it must be a number of environments from 1 to 100000")
        self._prepare_loading(machine, seconds, control_Hz, dead_time_s, set, fidelity)
        self.num_envs = count
        self.single_action_space = Box(-1.0, 1.0, (len(self.LEVERS),), np.float32)
        self.action_space = Box(-1.0, 1.0, (count, len(self.LEVERS)), np.float32)
        names = len(self.observation_names)
        self.single_observation_space = Box(-np.inf, np.inf, (names,), np.float32)
        self.observation_space = Box(-np.inf, np.inf, (count, names), np.float32)
        self._random = [np.random.default_rng() for _ in range(count)]
        self.reset()

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Other logs. Returns the observations and a dict of what is left to go [m]."""
        if seed is not None:
            self._random = [np.random.default_rng(seed + i) for i in range(self.num_envs)]
        opened = [self._open(random) for random in self._random]
        self.logs = np.stack([log for _, log in opened])
        self.batch = Batch([simulation for simulation, _ in opened], self._lever_names, self._channels)
        self._inputs, self._seen = self.batch.inputs, self.batch.channels
        idle = np.zeros(self._inputs.shape)
        self._inputs[:] = idle
        self._actions = deque([idle] * (self._late_steps + 2), maxlen=self._late_steps + 2)
        self._step, self._collisions = 0, np.zeros(self.num_envs)
        self._over = np.zeros(self.num_envs, bool)
        observation, self._left = self._seen_now(self._seen, self.logs, idle)
        return observation, {"left_m": self._left}

    def step(self, action: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One step of control of all. Returns observations, rewards, terminated, truncated and the dict of reset()."""
        self._actions.append(self._checked(action, self._inputs.shape))
        if self._late_ticks > 0:
            self._inputs[:] = self._actions[0]
            self.batch.step(self._late_ticks)
        self._inputs[:] = self._actions[1]
        self.batch.step(self._ticks - self._late_ticks)
        self._step += 1
        observation, left = self._seen_now(self._seen, self.logs, self._actions[-1])
        placed, collisions = self._seen[:, -2] == 2.0, self._seen[:, -1].copy()
        rewards = self._left - left + self.PLACED * placed - self.COLLISION * (collisions - self._collisions)
        rewards[self._over] = 0.0
        self._left, self._collisions = left, collisions
        self._over = self._over | placed
        truncated = np.full(self.num_envs, self._step >= self.steps)
        return observation, rewards, self._over.copy(), truncated, {"left_m": left}


if gymnasium is not None:
    gymnasium.register(id="knuckleboom/TipTracking-v0", entry_point="knuckleboom.environment:TipTracking")
    gymnasium.register(id="knuckleboom/SingleLog-v0", entry_point="knuckleboom.environment:SingleLog")
