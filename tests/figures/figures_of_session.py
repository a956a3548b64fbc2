#!/usr/bin/python3
"""Six figures of each attempt at a reach exercise, computed again from the channels and events of its session
file, by the definitions in docs/theory/judging.md and docs/reference/figures.md. Shares no code with the program.

    figures_of_session.py SESSION.h5

A line for each attempt and figure: its number, the name, the value in the file, the value computed here, and
the difference in per cent. Status 1 if any is above 0.1 %.
"""
import math
import sys

import h5py
import numpy as np

SAMPLE = 0.02  # s
MOVING = 0.02  # m/s
REST, MOVEMENT = 0.02, 0.05  # m
LEAST_TRAVEL = 0.1  # s at full speed
BIN = 25  # samples


def low_pass(x):
    """Butterworth of second order, 5 Hz, equations (1) and (2)."""
    k = math.tan(math.pi * 5.0 * SAMPLE)
    n = 1.0 / (1.0 + math.sqrt(2.0) * k + k * k)
    b0, a1, a2 = n * k * k, 2.0 * n * (k * k - 1.0), n * (1.0 - math.sqrt(2.0) * k + k * k)
    y = np.empty_like(x)
    before = [x[0], x[0], x[0], x[0]]  # x1 x2 y1 y2
    for i, now in enumerate(x):
        x1, x2, y1, y2 = before
        y[i] = b0 * (now + 2.0 * x1 + x2) - a1 * y1 - a2 * y2
        before = [now, x1, y[i], y1]
    return y


def edge(inside, outside):
    """Constant jerk from or to rest, equation (5); the threshold is crossed between two samples."""
    v, a = 0.5 * (inside + outside), abs(inside - outside) / SAMPLE
    lasts = min(2.0 * v / a, 3.0) + 0.5 * SAMPLE
    return lasts, (a * a / (2.0 * v)) ** 2 * lasts


def ldlj(speed, before):
    """Of a leg's speeds; before: the two samples before it."""
    v = np.concatenate([before, speed])
    fast = np.nonzero(speed >= MOVING)[0]
    if len(fast) == 0:
        return None
    first = fast[0] + 2
    jerk = lambda i: (v[i] - 2.0 * v[i - 1] + v[i - 2]) / SAMPLE**2
    time, square = (0.0, 0.0) if v[first - 1] >= MOVING else edge(v[first], v[first - 1])
    last = fast[-1] + 2
    for i in range(first + 1, last + 1):
        time += SAMPLE
        square += jerk(i) ** 2 * SAMPLE
    if last + 1 < len(v):  # it came to rest within the leg
        more = edge(v[last + 1], v[last])
        time, square = time + more[0], square + more[1]
    return -math.log(time**3 * square / speed.max() ** 2)


def movements(speed, way):
    """Ways of 5 cm between rests; way: of the last half second."""
    count, length = 0, 0.0
    for v, last in zip(speed, way):
        if last < REST:
            count += length >= MOVEMENT
            length = 0.0
        else:
            length += v * SAMPLE
    return count + (length >= MOVEMENT)


def bins_of(travel, start):
    """Least and largest travel of each function in half a second of motion [s]; pauses are in none."""
    steps = np.round(1e3 * (travel - start)) * 1e-3
    out, low, high, moved = [], None, None, 0
    last = np.round(1e3 * (start - start)) * 1e-3
    for now in steps:
        if low is None:
            low, high = last.copy(), last.copy()
        low, high = np.minimum(low, now), np.maximum(high, now)
        last = now
        if moved or np.any(low != high):
            moved += 1
        if moved == BIN:
            out.append((low, high))
            low, moved = None, 0
    if low is not None and np.any(low != high):
        out.append((low, high))
    return out


def together(travel, start):
    """Equation (6)."""
    ways = travel[-1] - start
    used = np.abs(ways) >= LEAST_TRAVEL
    if not used.any():
        return None
    all_of_them = np.abs(ways[used]).sum() ** 2 / (ways[used] ** 2).sum()
    if all_of_them < 1.05:
        return None
    bins = bins_of(travel, start)
    work = []
    for f in np.nonzero(used)[0]:
        way = ways[f]
        far = [np.clip((b[1][f] if way > 0 else b[0][f]) / way, 0, 1) for b in bins]
        near = [np.clip((b[0][f] if way > 0 else b[1][f]) / way, 0, 1) for b in bins]
        kept = [1.0, 1.0]
        for share in reversed(near):
            kept.insert(0, min(kept[0], share))
        reached, own = 0.0, []
        for b, share in enumerate(far):
            before, reached = reached, max(reached, share)
            own.append(abs(way) * max(0.0, min(reached, kept[b + 2]) - max(before, kept[b])))
        work.append(own)
    work = np.array(work)
    total, squares = work.sum(0), (work**2).sum(0)
    busy = squares > 0
    alone = max(0.0, np.abs(ways[used]).sum() - total.sum())
    mean = ((total[busy] ** 3 / squares[busy]).sum() + alone) / np.abs(ways[used]).sum()
    return min(1.0, max(0.0, (mean - 1.0) / (all_of_them - 1.0)))


def figures(f, attempt):
    begin, end = attempt["begin_tick"], attempt["end_tick"]
    events = [e for e in f["events"][:] if begin < e["tick"] <= end]
    running = [e["tick"] for e in events if e["kind"] == b"phase" and e["value0"] == 1.0]
    if not running:
        return None
    start = running[0] - 1
    steps = [e["tick"] for e in events if e["kind"] == b"step"]
    tick_s = 1.0 / f.attrs["rate_Hz"]
    c = f["channels"]
    ticks = c["tick"][:]
    tip = np.stack([c["tip_%s_m" % x][:].astype(float) for x in "xyz"], 1)
    names = [n for n in c if n.endswith("_travel_s")]
    functions = np.stack([c[n][:].astype(float) for n in names], 1)
    at = np.arange(start, end + 1, SAMPLE / tick_s)
    sampled = lambda y: np.stack([np.interp(at, ticks, y[:, i]) for i in range(y.shape[1])], 1)
    tip_s, travel = sampled(tip), sampled(functions)
    smooth = np.stack([low_pass(tip_s[:, i]) for i in range(3)], 1)
    speed = np.concatenate([[0.0], np.linalg.norm(np.diff(smooth, axis=0), axis=1) / SAMPLE])
    way = np.convolve(speed * SAMPLE, np.ones(25))[: len(speed)]

    rows = (ticks >= start) & (ticks <= end)
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(tip[rows], axis=0), axis=1))])
    ends = [(ticks[rows] <= s).sum() - 1 for s in steps]
    tip_at = [tip[rows][0]] + [
        np.array([np.interp(s, ticks, tip[:, i]) for i in range(3)]) for s in steps
    ]
    straight = [np.linalg.norm(b - a) for a, b in zip(tip_at, tip_at[1:])]
    out = {
        "time_s": (end - start) * tick_s + max(0.0, (start - begin) * tick_s - 10.0),
        "path_m": length[-1],
    }
    if steps:
        path = np.interp(steps[-1], ticks[rows], length)
        out["extra_way_m"] = path - sum(straight)
    smooth_sum = smooth_weight = together_sum = together_weight = moves = 0.0
    first, from_travel = 1, travel[0]
    for s, d in zip(steps, straight):
        last = int((at <= s + 1e-6).sum())  # samples up to the end of the leg
        leg = speed[first:last]
        before = np.concatenate([[0.0, 0.0], speed[:first]])[-2:]
        value = ldlj(leg, before)
        if value is not None:
            smooth_sum, smooth_weight = smooth_sum + d * value, smooth_weight + d
        moves += movements(leg, way[first:last])
        value = together(travel[first:last], from_travel)
        if value is not None:
            together_sum, together_weight = together_sum + d * value, together_weight + d
        first, from_travel = last, travel[last - 1]
    if steps:
        out["movements_per_leg"] = moves / len(steps)
        out["smoothness"] = smooth_sum / smooth_weight
        out["together"] = together_sum / together_weight
    return out


def main():
    worst = 0.0
    with h5py.File(sys.argv[1], "r") as f:
        for number, attempt in enumerate(f["attempts"][:], 1):
            own = figures(f, attempt)
            for name, value in (own or {}).items():
                stored = float(attempt[name])
                off = 100.0 * abs(value - stored) / max(abs(stored), 1e-9)
                worst = max(worst, off)
                print("%d %-18s %.6f %.6f %.4f %%" % (number, name, stored, value, off))
    return 1 if worst > 0.1 else 0


if __name__ == "__main__":
    sys.exit(main())
