"""Terrain in MuJoCo: writes PNG and binary height fields, the surface along many rays, and where shapes come to rest.

Usage: mujoco_hfield.py FOLDER RAYS SEED. Files: scene.xml with its height fields, rays, rest.
"""
import os
import struct
import sys
import zlib

import mujoco
import numpy as np

folder, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(seed)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write_png(name, grey, depth, filters):
    """An image in grey of 8 or 16 bits; every line has the filter of its turn."""
    step = depth // 8
    raw, last = b"", bytes(grey.shape[1] * step)
    for k, row in enumerate(grey):
        line = row.astype(">u%d" % step).tobytes()
        kind = filters[k % len(filters)]
        out = bytearray()
        for i, x in enumerate(line):
            a, b, c = (line[i - step] if i >= step else 0), last[i], (last[i - step] if i >= step else 0)
            pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2 * c)
            paeth = a if pa <= pb and pa <= pc else b if pb <= pc else c
            out.append((x - [0, a, b, (a + b) // 2, paeth][kind]) % 256)
        raw += bytes([kind]) + bytes(out)
        last = line
    header = struct.pack(">IIBBBBB", grey.shape[1], grey.shape[0], depth, 0, 0, 0, 0)
    with open(os.path.join(folder, name), "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


write_png("bumps.png", rng.integers(0, 256, (23, 31)), 8, [0, 1, 2, 3, 4])
write_png("deep.png", rng.integers(0, 65536, (12, 9)), 16, [4, 3, 2, 1, 0])
hills = rng.normal(size=(15, 18)).astype(np.float32)
with open(os.path.join(folder, "hills.hf"), "wb") as f:
    f.write(struct.pack("ii", *hills.shape) + hills.tobytes())
text = " ".join(repr(float(x)) for x in rng.uniform(-3, 5, 7 * 5))

scene = f"""<mujoco><asset>
  <hfield name="bumps" file="bumps.png" size="2 1.5 0.4 0.2"/>
  <hfield name="deep" file="deep.png" size="1 1 0.3 0.1"/>
  <hfield name="hills" file="hills.hf" size="1 2 0.5 0.3"/>
  <hfield name="text" nrow="7" ncol="5" elevation="{text}" size="0.8 0.8 0.2 0.1"/>
</asset><worldbody>
  <geom type="hfield" hfield="bumps"/>
  <geom type="hfield" hfield="deep" pos="4 0 0.3" euler="20 -10 40"/>
  <geom type="hfield" hfield="hills" pos="0 5 0" euler="0 0 90"/>
  <geom type="hfield" hfield="text" pos="4 5 0" euler="0 15 0"/>
</worldbody></mujoco>"""
path = os.path.join(folder, "scene.xml")
with open(path, "w") as f:
    f.write(scene)
m = mujoco.MjModel.from_xml_path(path)
d = mujoco.MjData(m)
mujoco.mj_forward(m, d)
with open(os.path.join(folder, "rays"), "w") as out:
    geom = np.zeros(1, np.int32)
    for _ in range(count):
        # from above all fields, towards a point near one of them
        origin = np.array([*rng.uniform(-3, 7, 2), rng.uniform(1.5, 3)])
        aim = np.array([*rng.uniform(-2, 6, 2), rng.uniform(-0.1, 0.4)])
        way = (aim - origin) / np.linalg.norm(aim - origin)
        distance = mujoco.mj_ray(m, d, origin, way, None, 1, -1, geom)
        print("ray", *map(repr, map(float, [*origin, *way, distance, geom[0]])), file=out)

# Shapes at rest on a slope and on bumps. MuJoCo has one contact for each prism that a shape overlaps, so that shapes with faces need
# cells smaller than they are.
SHAPES = {
    "sphere": ('<geom size="0.05" mass="1"/>', 0.05),
    "capsule": ('<geom type="capsule" size="0.03 0.05" euler="90 0 0" mass="1"/>', 0.03),
    "ellipsoid": ('<geom type="ellipsoid" size="0.06 0.05 0.03" mass="1"/>', 0.03),
    "cylinder": ('<geom type="cylinder" size="0.05 0.03" mass="1"/>', 0.03),
    "box": ('<geom type="box" size="0.05 0.04 0.03" mass="1"/>', 0.03),
    "mesh": ('<geom type="mesh" mesh="cube" mass="1"/>', 0.03),
}
SLIDES = "".join(f'<joint type="slide" axis="{a}" damping="5"/>' for a in ("1 0 0", "0 1 0", "0 0 1"))


def heights(field, n):
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, n), np.linspace(0.5, -0.5, n))
    return 0.5 + x if field == "slope" else np.sin(9 * x) * np.cos(7 * y)


def write_scene(field, shape):
    geom, half = SHAPES[shape]
    is_round = shape in ("sphere", "capsule", "ellipsoid")
    n = 6 if field == "slope" and is_round else 41
    elevation = " ".join(repr(float(v)) for v in heights(field, n).ravel())
    tilt = np.degrees(np.arctan(0.1)) if field == "slope" else 0
    x, y = (0.07, 0.03) if field == "slope" else (-0.16, 0.02)
    z = 0.1 * (0.5 + x) / np.cos(np.arctan(0.1)) + 1.03 * half if field == "slope" else half + 0.02
    joints = SLIDES if field == "bumps" or is_round else "<freejoint/>"
    name = f"{field}_{shape}.xml"
    with open(os.path.join(folder, name), "w") as f:
        f.write(f"""<mujoco><option timestep="0.002" cone="elliptic" impratio="100"/><default><geom solref="0.01 1" friction="1 0 0"/></default>
<asset><hfield name="f" nrow="{n}" ncol="{n}" elevation="{elevation}" size="0.5 0.5 0.1 0.1"/>
<mesh name="cube" vertex="-.05 -.04 -.03 .05 -.04 -.03 -.05 .04 -.03 .05 .04 -.03 -.05 -.04 .03 .05 -.04 .03 -.05 .04 .03 .05 .04 .03"/></asset>
<worldbody><geom name="ground" type="hfield" hfield="f"/>
<body name="thing" pos="{x} {y} {z}" euler="0 {-tilt} 0">{joints}{geom}</body></worldbody></mujoco>""")
    return name


with open(os.path.join(folder, "rest"), "w") as out:
    for field in ("slope", "bumps"):
        for shape in SHAPES:
            name = write_scene(field, shape)
            m = mujoco.MjModel.from_xml_path(os.path.join(folder, name))
            d = mujoco.MjData(m)
            while d.time < 3:
                mujoco.mj_step(m, d)
            force, six = np.zeros(3), np.zeros(6)
            for i, c in enumerate(d.contact):
                mujoco.mj_contactForce(m, d, i, six)
                force += np.array(c.frame).reshape(3, 3).T @ six[:3]
            deepest = max([-c.dist for c in d.contact], default=0)
            print(name, d.ncon, deepest, *force, *d.xpos[1], float(np.abs(d.qvel).max()), file=out)
