"""Scenes that every engine runs from the same MJCF text, and what is measured in each.

A scene is a function of a `make` (which opens a world from MJCF text and a step) that returns a dict of numbers. A world has

    advance(seconds)                    runs for this time
    place(body, p, quat, w, v)          sets a free body: pose, angular and linear velocity, all in world axes
    set_joint(joint, q, v)              sets a hinge or slide
    control(actuator, value)            holds a control until it is changed
    pose(body) -> (p, R)                origin and rotation matrix in the world
    velocity(body) -> (w, v)            angular velocity and that of the body's origin, in world axes

Energies and errors are computed here from these, by the same formula for every engine. Lengths are in m, angles in rad.
"""

import math
import time

import numpy as np

G = 9.81


def scene_text(step, bodies, actuators="", gravity=(0, 0, -G)):
    return f"""<mujoco model="scene"><compiler angle="radian"/><option timestep="{step}" gravity="{gravity[0]} {gravity[1]} {gravity[2]}"/>
<worldbody>{bodies}</worldbody>{f"<actuator>{actuators}</actuator>" if actuators else ""}</mujoco>"""


def box(size, mass, mu, extra=""):
    return f'<geom type="box" size="{size[0]} {size[1]} {size[2]}" mass="{mass}" friction="{mu} 0.005 0.0001" {extra}/>'


def floor(mu):
    return f'<geom type="box" size="5 5 0.5" pos="0 0 -0.5" friction="{mu} 0.005 0.0001"/>'


def box_inertia(size, mass):
    x, y, z = (4 * s * s for s in size)
    return mass / 12 * np.diag([y + z, x + z, x + y])


def failed(values):
    return not all(np.isfinite(np.asarray(v, float)).all() for v in values)


# ---- motion that has a closed form ------------------------------------------------------------------


def slide(make, step):
    """A block that rests is given 1 m/s: it stops by friction 0.5 after v^2/(2 mu g) = 101.94 mm, and then stands still."""
    mu, speed = 0.5, 1.0
    world = make(scene_text(step, floor(mu) + f'<body name="b" pos="0 0 0.02"><freejoint/>{box((0.05, 0.05, 0.02), 1, mu)}</body>'), step)
    world.advance(0.5)
    start = world.pose("b")[0]
    world.place("b", start, (1, 0, 0, 0), (0, 0, 0), (speed, 0, 0))
    world.advance(1)
    stop = world.pose("b")[0][0]
    world.advance(1)
    exact = speed**2 / (2 * mu * G)
    return {"error of the distance [%]": 100 * ((stop - start[0]) / exact - 1), "creep after it [um/s]": 1e6 * (world.pose("b")[0][0] - stop)}


def spin(make, step):
    """A free box turns about its middle axis at 10 rad/s for 10 s without gravity: energy and angular momentum stay."""
    size, mass = (0.05, 0.1, 0.2), 2.0
    world = make(scene_text(step, f'<body name="b"><freejoint/>{box(size, mass, 1)}</body>', gravity=(0, 0, 0)), step)
    start = np.array([0.01, 10.0, 0.02])
    world.place("b", (0, 0, 0), (1, 0, 0, 0), start, (0, 0, 0))
    inertia = box_inertia(size, mass)

    def invariants():
        R, w = world.pose("b")[1], world.velocity("b")[0]
        L = R @ inertia @ R.T @ w
        return 0.5 * w @ L, L

    energy, momentum = invariants()
    world.advance(10)
    energy1, momentum1 = invariants()
    return {"energy [%]": 100 * (energy1 / energy - 1),
            "momentum [%]": 100 * np.linalg.norm(momentum1 - momentum) / np.linalg.norm(momentum)}


def pendulum(make, step):
    """A double pendulum of two rods of 1 kg that falls from the side, 10 s: kinetic plus potential energy stays."""
    rod, mass, half = (0.02, 0.02, 0.25), 1.0, 0.25
    geom = box(rod, mass, 1, f'pos="0 0 {-half}" contype="0" conaffinity="0"')
    world = make(scene_text(step, f'<body name="a" pos="0 0 2"><joint name="j" axis="0 1 0"/>{geom}'
                                  f'<body name="b" pos="0 0 {-2 * half}"><joint name="k" axis="0 1 0"/>{geom}</body></body>'), step)
    world.set_joint("j", 1.5, 0)
    world.set_joint("k", 0.5, 0)
    inertia = box_inertia(rod, mass)

    def energy():
        total = 0
        for name in "ab":
            (p, R), (w, v) = world.pose(name), world.velocity(name)
            arm = R @ np.array([0, 0, -half])
            vc = v + np.cross(w, arm)
            total += 0.5 * mass * vc @ vc + 0.5 * w @ R @ inertia @ R.T @ w + mass * G * (p + arm)[2]
        return total

    start, swing = energy(), 3 * mass * G * half  # the swing: of the order of the energy that moves to and fro
    world.advance(10)
    return {"energy [% of the swing]": 100 * (energy() - start) / swing}


# ---- contact at rest --------------------------------------------------------------------------------


def slope(make, step):
    """A block on a slope of 25 degrees holds, because mu = 0.5 holds up to 26.6 degrees; it stands for 20 s."""
    a = math.radians(25)
    world = make(scene_text(step, floor(0.5) + f'<body name="b" pos="0 0 0.02"><freejoint/>{box((0.05, 0.05, 0.02), 1, 0.5)}</body>',
                            gravity=(G * math.sin(a), 0, -G * math.cos(a))), step)
    world.advance(1)
    start = world.pose("b")[0][0]
    world.advance(20)
    return {"creep [um/s]": 1e6 * (world.pose("b")[0][0] - start) / 20}


def pinch_world(make, step, force=10.0):
    pad = box((0.01, 0.02, 0.02), 0.2, 1)
    bodies = (f'<body name="l" pos="-0.04 0 0.5"><joint name="l" type="slide" axis="1 0 0"/>{pad}</body>'
              f'<body name="r" pos="0.04 0 0.5"><joint name="r" type="slide" axis="-1 0 0"/>{pad}</body>'
              f'<body name="b" pos="0 0 0.5"><freejoint/>{box((0.03, 0.03, 0.03), 0.5, 1)}</body>')
    world = make(scene_text(step, bodies, '<motor name="l" joint="l"/><motor name="r" joint="r"/>'), step)
    world.place("b", (0, 0, 0.5), (1, 0, 0, 0), (0, 0, 0), (0, 0, 0))
    world.control("l", force)
    world.control("r", force)
    return world


def pinch(make, step):
    """Two pads press a block of 4.9 N with 10 N each, mu = 1, for 60 s: friction of 20 N could be had."""
    world = pinch_world(make, step)
    world.advance(1)
    start = world.pose("b")[0][2]
    world.advance(59)
    return {"sinks [mm in 59 s]": 1e3 * (start - world.pose("b")[0][2])}


def stack_world(make, step, count):
    bodies = floor(0.5)
    for i in range(count):
        bodies += f'<body name="b{i}" pos="0 0 {0.05 + 0.1 * i}"><freejoint/>{box((0.05, 0.05, 0.05), 1, 0.5)}</body>'
    world = make(scene_text(step, bodies), step)
    for i in range(count):
        world.place(f"b{i}", (0, 0, 0.05 + 0.1 * i), (1, 0, 0, 0), (0, 0, 0), (0, 0, 0))
    return world


def stack(make, step):
    """Ten boxes of 1 kg stand on each other for 10 s: how far the top box sank and moved aside, and the largest speed at the end."""
    world = stack_world(make, step, 10)
    world.advance(10)
    p = world.pose("b9")[0]
    speed = max(np.linalg.norm(world.velocity(f"b{i}")[1]) for i in range(10))
    return {"sinks [mm]": 1e3 * (0.95 - p[2]), "aside [mm]": 1e3 * math.hypot(p[0], p[1]), "speed [um/s]": 1e6 * speed}


def servo(make, step):
    """A stiff servo (1 kg, kp = 1e5 N/m, kv = 600 N s/m) presses a block of 0.1 kg against a wall with 100 N: 1 mm beyond contact."""
    bodies = ('<geom type="box" size="0.05 0.1 0.1" pos="0.15 0 0"/>'
              f'<body name="b" pos="0.08 0 0"><joint name="b" type="slide" axis="1 0 0"/>{box((0.02, 0.02, 0.02), 0.1, 0.5)}</body>'
              f'<body name="p" pos="0.03 0 0"><joint name="p" type="slide" axis="1 0 0"/>{box((0.02, 0.02, 0.02), 1, 0.5)}</body>')
    world = make(scene_text(step, bodies, '<position name="p" joint="p" kp="1e5" kv="600"/>', gravity=(0, 0, 0)), step)
    world.control("p", 0.011)
    speeds = []
    world.advance(1)
    for _ in range(20):
        world.advance(0.05)
        speeds.append(world.velocity("p")[1][0])
    return {"chatter [mm/s]": 1e3 * float(np.sqrt(np.mean(np.square(speeds)))), "squeezed [mm]": 1e3 * (world.pose("p")[0][0] - 0.04)}


# ---- steps that are too long ------------------------------------------------------------------------


def longest_step(make):
    """Longest step with which the pinched block sinks by less than 1 mm in 5 s."""
    held = 0.0
    for step in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1):
        try:
            world = pinch_world(make, step)
            world.advance(5)
            sunk = 0.5 - world.pose("b")[0][2]
        except (RuntimeError, ValueError):
            sunk = math.nan
        if not abs(sunk) < 1e-3:
            break
        held = step
    return {"longest step [ms]": 1e3 * held}


def bullet(make, step):
    """A ball of 1 cm flies at 100 m/s against a wall of 2 mm."""
    ball = '<geom type="sphere" size="0.01" mass="0.01" friction="0.5 0.005 0.0001"/>'
    wall = '<geom type="box" size="0.001 0.5 0.5" pos="0.513 0 0" friction="0.5 0.005 0.0001"/>'
    world = make(scene_text(step, wall + f'<body name="b"><freejoint/>{ball}</body>', gravity=(0, 0, 0)), step)
    world.place("b", (0, 0, 0), (1, 0, 0, 0), (0, 0, 0), (100, 0, 0))
    world.advance(0.1)
    return {"is stopped": bool(world.pose("b")[0][0] < 0.513)}


# ---- time -------------------------------------------------------------------------------------------


def pile_world(make, step, count):
    walls = "".join(f'<geom type="box" size="{sx} {sy} 0.5" pos="{x} {y} 0.5"/>'
                    for x, y, sx, sy in ((0.35, 0, 0.05, 0.4), (-0.35, 0, 0.05, 0.4), (0, 0.35, 0.4, 0.05), (0, -0.35, 0.4, 0.05)))
    bodies, places = floor(0.5) + walls, []
    for i in range(count):
        p = (0.13 * (i % 4) - 0.2 + 0.003 * (i % 7), 0.13 * (i // 4 % 4) - 0.2 + 0.002 * (i % 5), 0.06 + 0.11 * (i // 16))
        geom = box((0.05, 0.04, 0.03), 0.5, 0.5) if i % 2 else '<geom type="sphere" size="0.05" mass="0.5" friction="0.5 0.005 0.0001"/>'
        bodies += f'<body name="b{i}" pos="{p[0]} {p[1]} {p[2]}"><freejoint/>{geom}</body>'
        places.append(p)
    world = make(scene_text(step, bodies), step)
    for i, p in enumerate(places):
        world.place(f"b{i}", p, (1, 0, 0, 0), (0, 0, 0), (0, 0, 0))
    return world


def time_of(world, step, settle, steps, rounds=5):
    """Least processor time of a step [us] of several rounds of `steps`, after `settle` seconds."""
    world.advance(settle)
    least = math.inf
    for _ in range(rounds):
        begin = time.process_time()
        world.advance(steps * step)
        least = min(least, (time.process_time() - begin) / steps)
    return 1e6 * least


def times(make, step):
    """Processor time of a step, the least of five rounds: a pinch, a stack of 10, a bin with 80 boxes and balls at rest."""
    return {"pinch [us]": time_of(pinch_world(make, step), step, 0.5, 500),
            "stack of 10 [us]": time_of(stack_world(make, step, 10), step, 0.5, 200),
            "bin of 80 [us]": time_of(pile_world(make, step, 80), step, 3.0, 20)}


SCENES = [  # name, function, steps [s]; None: the function chooses its own
    ("slide", slide, (0.001, 0.01)),
    ("spin", spin, (0.001, 0.01)),
    ("pendulum", pendulum, (0.001, 0.005)),
    ("slope", slope, (0.001, 0.01)),
    ("pinch", pinch, (0.001, 0.01)),
    ("stack", stack, (0.001, 0.005)),
    ("servo", servo, (0.001, 0.01)),
    ("longest", longest_step, (None,)),
    ("bullet", bullet, (0.001, 0.01)),
    ("time", times, (0.002,)),
]
