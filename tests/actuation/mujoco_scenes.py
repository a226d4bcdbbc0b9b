"""Random scenes full of actuators, tendons, springs, equalities and sensors, and what MuJoCo makes of them.

  mujoco_scenes.py OUT SCENES STATES SEED

Writes OUT/i.xml and OUT/i.txt, which holds lines of a keyword and values:
  sizes nq nv nu na ntendon nsensordata nbody
  state, then one line for each of the keys in write_state    STATES times
Limits, friction losses and contacts are off. Equalities count only in eqpos and eqJ; the weld's rotation
error there is torquescale sin(angle/2) axis.
"""

import copy
import os
import sys

import mujoco
import numpy as np
from mujoco_states import dense, write_rows


def text(values):
    return " ".join(f"{x:.6g}" for x in np.ravel(values))


def polynomial(rng, size):
    """One to three coefficients, of which the first is not negative."""
    return text([rng.uniform(0, size), *rng.normal(size=2)][: rng.integers(1, 4)])


def joint(rng, name, kind):
    a = f'<joint name="{name}" type="{kind}" pos="{text(rng.uniform(-.1, .1, 3))}" damping="{polynomial(rng, 2)}"'
    if rng.random() < 0.6:
        a += f' stiffness="{polynomial(rng, 20)}"'
    if kind in ("hinge", "slide"):
        a += f' axis="{text(rng.normal(size=3))}" ref="{rng.uniform(-.5, .5):.4g}" springref="{rng.uniform(-.5, .5):.4g}"'
        if rng.random() < 0.5:
            a += f' actuatorfrcrange="{-rng.uniform(.1, 3):.4g} {rng.uniform(.1, 3):.4g}"'
        a += f' range="{-rng.uniform(.2, 1):.4g} {rng.uniform(.2, 1):.4g}"'
    if rng.random() < 0.3:
        a += ' actuatorgravcomp="true"'
    return a + "/>"


class Scene:
    def __init__(self, rng):
        self.rng = rng
        self.scalar, self.ball, self.free, self.sites, self.bodies, self.tendons = [], [], [], ["sworld"], [], []
        self.obstacles = []
        self.armature = rng.random() < 0.5  # of tendons: MuJoCo counts it in the reference inertia of muscles, we do not
        self.xml = self.build()

    def body(self, depth, index):
        rng, name = self.rng, f"b{index}"
        kind = rng.choice(["hinge", "slide", "ball", "hinge", "weld", "two"]) if depth else rng.choice(["free", "hinge", "slide"])
        out = f'<body name="{name}" pos="{text(rng.uniform(-.5, .5, 3))}" euler="{text(rng.uniform(-90, 90, 3))}"'
        out += f' gravcomp="{rng.choice([0, 0, .5, 1.3])}">'
        if kind == "free":
            out += f'<joint name="j{index}" type="free" stiffness="{polynomial(rng, 5)}" damping="{polynomial(rng, 1)}"/>'
            self.free.append(f"j{index}")
        elif kind == "ball":
            out += joint(rng, f"j{index}", "ball")
            self.ball.append(f"j{index}")
        elif kind != "weld":
            for k, one in enumerate(["hinge", "slide"] if kind == "two" else [kind]):
                out += joint(rng, f"j{index}{'ab'[k]}", one)
                self.scalar.append(f"j{index}{'ab'[k]}")
        out += f'<geom name="g{index}" type="box" size="{text(rng.uniform(.03, .2, 3))}" pos="{text(rng.uniform(-.1, .1, 3))}"'
        out += f' euler="{text(rng.uniform(-90, 90, 3))}" mass="{rng.uniform(.1, 3):.4g}"/>'
        out += f'<site name="s{index}" pos="{text(rng.uniform(-.2, .2, 3))}" euler="{text(rng.uniform(-90, 90, 3))}"/>'
        self.sites.append(f"s{index}")
        out += self.obstacle(index)
        self.bodies.append(name)
        return out

    def tree(self, depth, budget):
        out = self.body(depth, len(self.bodies))
        budget -= 1
        while budget > 0 and self.rng.random() < 0.8:
            n = int(self.rng.integers(1, budget + 1))
            out += self.tree(depth + 1, n)
            budget -= n
        return out + "</body>"

    def tendon(self, index):
        rng = self.rng
        out = f'<fixed name="t{index}" stiffness="{polynomial(rng, 10)}" damping="{polynomial(rng, 3)}"'
        out += rng.choice(["", ' springlength="0.1"', ' springlength="-0.2 0.3"']) + ' range="-0.5 0.5"'
        if rng.random() < 0.5:
            out += f' actuatorfrcrange="{-rng.uniform(.5, 2):.4g} {rng.uniform(.5, 2):.4g}"'
        out += ">"
        for name in rng.permutation(self.scalar)[: rng.integers(1, 4)]:
            out += f'<joint joint="{name}" coef="{rng.normal():.4g}"/>'
        self.tendons.append(f"t{index}")
        return out + "</fixed>"

    def obstacle(self, index):
        """What tendons may wrap around, and a site on one side of it."""
        rng = self.rng
        centre, radius = rng.uniform(-.2, .2, 3), rng.uniform(.05, .25)
        self.obstacles.append(f"w{index}")
        out = f'<geom name="w{index}" type="{rng.choice(["sphere", "cylinder"])}" size="{radius:.6g} .1" mass="0.01"'
        out += f' pos="{text(centre)}" euler="{text(rng.uniform(-90, 90, 3))}"/>'
        direction = rng.normal(size=3)
        direction /= np.linalg.norm(direction)
        return out + f'<site name="side{index}" pos="{text(centre + radius * rng.uniform(1.05, 3) * direction)}"/>'

    def spatial(self, index):
        rng = self.rng
        out = f'<spatial name="t{index}" stiffness="{polynomial(rng, 10)}" damping="{polynomial(rng, 3)}"'
        out += rng.choice(["", ' springlength="0.3"', ' springlength="0.2 0.9"']) + ' range="0.5 1.5"'
        if rng.random() < 0.3:
            out += f' actuatorfrcrange="{-rng.uniform(.5, 2):.4g} {rng.uniform(.5, 2):.4g}"'
        wraps = rng.random() < 0.8 or not self.armature
        if not wraps:
            out += f' armature="{rng.uniform(.001, .01):.4g}"'
        out += ">"
        for branch in range(rng.integers(1, 4)):
            if branch:
                out += f'<pulley divisor="{rng.uniform(.5, 3):.4g}"/>'
            names = rng.permutation(self.sites)[: rng.integers(2, 5)]
            for k, name in enumerate(names):
                out += f'<site site="{name}"/>'
                if k + 1 < len(names) and wraps and rng.random() < 0.8:
                    w = rng.integers(len(self.obstacles))
                    out += f'<geom geom="w{w}"' + (f' sidesite="side{w}"' if rng.random() < 0.5 else "") + "/>"
        self.tendons.append(f"t{index}")
        return out + "</spatial>"

    def actuator(self, index):
        rng = self.rng
        place = rng.choice(["joint", "joint", "jointinparent", "tendon", "site", "refsite", "slider-crank"])
        out = f'<general group="{rng.choice([0, 1, 2])}" name="a{index}" gear="{text(rng.normal(size=6))}"'
        if place == "tendon" and self.tendons:
            out += f' tendon="{rng.choice(self.tendons)}"'
        elif place == "slider-crank":
            crank, slider = rng.permutation(self.sites)[:2]
            out += f' cranksite="{crank}" slidersite="{slider}" cranklength="{rng.uniform(.2, 3):.4g}"'
        elif place in ("site", "refsite"):
            out += f' site="{rng.choice(self.sites)}"' + (f' refsite="{rng.choice(self.sites)}"' if place == "refsite" else "")
        else:
            place = "joint" if place == "tendon" else place
            out += f' {place}="{rng.choice(self.scalar + self.ball + self.free)}"'
        muscle = rng.random() < 0.3
        if muscle:
            out += self.muscle(self.armature or place in ("refsite", "slider-crank") or "sworld" in out)  # it may move nothing
        else:
            out += f' gaintype="{rng.choice(["fixed", "affine"])}" gainprm="{text(rng.normal(size=3))}"'
            out += f' biastype="{rng.choice(["none", "affine"])}" biasprm="{text(rng.normal(size=3))}"'
        if "site" not in place and place != "slider-crank" and rng.random() < 0.2:
            out += f' damping="{polynomial(rng, 1)}"'
        dyn = rng.choice(["none", "none", "integrator", "filter", "filterexact"])
        if muscle and rng.random() < 0.7:
            dyn = "muscle"
        times = [rng.uniform(.05, .5), rng.uniform(.05, .5), rng.choice([0, .3])] if dyn == "muscle" else [rng.uniform(.005, .5), 0, 0]
        out += f' dyntype="{dyn}" dynprm="{text(times)}"'
        if dyn != "none" and rng.random() < 0.5:
            out += ' actearly="true"'
        if dyn != "none" and rng.random() < 0.5:
            out += ' actlimited="true" actrange="-0.5 0.7"'
        if rng.random() < 0.5:
            out += ' ctrllimited="true" ctrlrange="-0.6 0.9"'
        if rng.random() < 0.5:
            out += f' forcelimited="true" forcerange="{-rng.uniform(.1, 2):.4g} {rng.uniform(.1, 2):.4g}"'
        return out + "/>"

    def motor(self, index):
        """A DC motor with any of its parts, and the numbers of its controls."""
        rng = self.rng
        inputs = [w for w in ("pos", "vel", "ff", "voltage") if rng.random() < 0.5]
        out = f'<dcmotor name="a{index}" joint="{rng.choice(self.scalar)}" gear="{rng.normal():.4g}" input="{" ".join(inputs) or "none"}" '
        out += f'motorconst="{text(rng.uniform(.02, .3, 2))}" resistance="{rng.uniform(.5, 5):.4g}"'
        coil = rng.random() < 0.5
        if coil:
            out += f' inductance="{rng.uniform(.0005, .02):.4g}"'
        if rng.random() < 0.5:
            out += f' saturation="{rng.uniform(.05, 1):.4g} 0 {rng.choice([0, 30]) if coil else 0}"'
        if rng.random() < 0.5:
            out += f' thermal="{text(rng.uniform(2, 20, 2))} 0 {rng.uniform(0, .01):.4g} 25 {rng.uniform(10, 40):.4g}"'
        if rng.random() < 0.5:
            out += f' cogging="{rng.uniform(-1, 1):.4g} {rng.integers(1, 9)} {rng.normal():.4g}"'
        if rng.random() < 0.5:
            out += f' lugre="{rng.uniform(1, 100):.4g} {rng.uniform(0, 1):.4g} {rng.uniform(.05, .2):.4g} {rng.uniform(.2, .4):.4g} {rng.uniform(.1, 1):.4g}"'
        if inputs and inputs != ["voltage"]:
            ki = rng.choice([0, 2.]) if "pos" in inputs else 0
            out += f' controller="{rng.uniform(0, 3):.4g} {ki} {rng.uniform(0, 1):.4g} {rng.choice([0, 3.])} {rng.choice([0, .4])} {rng.choice([0, 5.])}"'
        if rng.random() < 0.3:
            out += ' ctrllimited="true" ctrlrange="-0.6 0.9"'
        return out + "/>", max(1, len(inputs))

    def muscle(self, needs_force):
        """Gain and bias of a muscle, each with curves of its own, or with the same."""
        rng = self.rng
        gain, bias = (text([rng.uniform(.5, .9), rng.uniform(1, 1.3), 20. if needs_force else rng.choice([-1, 20.]), 30, rng.uniform(.2, .6), rng.uniform(1.3, 2),
                            rng.uniform(.5, 3), rng.uniform(.5, 2), max(1, rng.uniform(.95, 1.5))]) for _ in range(2))
        bias = bias if rng.random() < 0.5 else gain
        return f' gaintype="muscle" gainprm="{gain}" biastype="muscle" biasprm="{bias}" lengthrange="-1 {rng.uniform(.5, 2):.4g}"'

    def equalities(self):
        rng, out = self.rng, ""
        for _ in range(2):
            names = rng.permutation(self.scalar)[:2]
            second = f' joint2="{names[1]}"' if len(names) > 1 and rng.random() < 0.8 else ""
            out += f'<joint joint1="{names[0]}"{second} polycoef="{text(rng.normal(size=5))}"/>'
        if len(self.tendons) > 1:
            out += f'<tendon tendon1="t0" tendon2="t1" polycoef="{text(rng.normal(size=5))}"/>'
        out += f'<tendon tendon1="t3" tendon2="t4" polycoef="{text(rng.normal(size=5))}"/>'
        moving = rng.permutation(self.bodies[1:] or self.bodies)
        other = f' body2="{moving[1]}"' if len(moving) > 1 else ""
        out += f'<connect body1="{self.bodies[0]}"{other} anchor="{text(rng.normal(size=3))}"/>'
        out += f'<weld body1="{self.bodies[0]}"{other} anchor="{text(rng.normal(size=3))}" torquescale="0.7"/>'
        out += f'<weld body1="{self.bodies[0]}" anchor="{text(rng.normal(size=3))}" relpose="{text(rng.normal(size=7))}"/>'
        out += '<weld site1="s0" site2="sworld"/><connect site1="s0" site2="sworld"/>'
        return out

    def sensors(self):
        rng, out = self.rng, ""
        cutoff = lambda: f' cutoff="{rng.uniform(.2, 2):.4g}"' if rng.random() < 0.2 else ""
        for s in self.sites[1:]:
            for kind in ("accelerometer", "velocimeter", "gyro", "force", "torque", "touch"):
                out += f'<{kind} site="{s}"{cutoff()}/>'
        for j in self.scalar:
            for kind in ("jointpos", "jointvel", "jointactuatorfrc", "jointlimitpos", "jointlimitvel"):
                out += f'<{kind} joint="{j}"{cutoff()}/>'
        for j in self.ball:
            out += f'<ballquat joint="{j}"/><ballangvel joint="{j}"{cutoff()}/>'
        for t in self.tendons:
            out += f'<tendonpos tendon="{t}"/><tendonvel tendon="{t}"/><tendonactuatorfrc tendon="{t}"/>'
            out += f'<tendonlimitpos tendon="{t}"/><tendonlimitvel tendon="{t}"/>'
        for i in range(len(self.actuators)):
            out += f'<actuatorpos actuator="a{i}"/><actuatorvel actuator="a{i}"/><actuatorfrc actuator="a{i}"/>'
        # principal axes are unique up to order and sign, so "body" counts only where its orientation does not
        turned = [("xbody", b) for b in self.bodies] + [("site", s) for s in self.sites] + [("geom", f"g{i}") for i in range(len(self.bodies))]
        things = turned + [("body", b) for b in self.bodies]
        for kind in ("framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel", "framelinacc", "frameangacc"):
            for _ in range(4):
                choice = turned if "quat" in kind or "axis" in kind else things
                a, b = choice[rng.integers(len(choice))], turned[rng.integers(len(turned))]
                out += f'<{kind} objtype="{a[0]}" objname="{a[1]}"'
                if rng.random() < 0.5 and "acc" not in kind:
                    out += f' reftype="{b[0]}" refname="{b[1]}"'
                out += (cutoff() if "quat" not in kind and "axis" not in kind else "") + "/>"
        for b in self.bodies:
            out += f'<subtreecom body="{b}"/><subtreelinvel body="{b}"/><subtreeangmom body="{b}"/>'
        return out + "<clock/><e_potential/><e_kinetic/>"

    def build(self):
        rng = self.rng
        trees = "".join(self.tree(0, int(rng.integers(2, 6))) for _ in range(2))
        while not self.scalar:
            trees += self.tree(0, 3)
        tendons = "".join(self.tendon(i) for i in range(3)) + "".join(self.spatial(i) for i in range(3, 7))
        self.actuators = [self.actuator(i) for i in range(18)]
        self.motors = [self.motor(18 + i) for i in range(6)]
        medium = f'density="{rng.uniform(0, 50):.4g}" viscosity="{rng.uniform(0, 5):.4g}" wind="{text(rng.normal(size=3))}"' if rng.random() < .5 else ""
        return f"""<mujoco><option gravity="0.5 -1 -9" timestep="0.004" jacobian="dense" {medium} actuatorgroupdisable="{rng.choice(["2", "0 2", "1 17"])}"><flag energy="enable"/></option>
<worldbody><site name="sworld" pos=".1 .2 .3" euler="10 20 30"/>{trees}</worldbody>
<tendon>{tendons}</tendon><actuator>{"".join(self.actuators)}{"".join(m for m, _ in self.motors)}</actuator>
<equality>{self.equalities()}</equality><sensor>{self.sensors()}</sensor></mujoco>"""


def random_qpos(model, rng):
    qpos = rng.uniform(-1.5, 1.5, model.nq)
    for j in range(model.njnt):
        adr = model.jnt_qposadr[j] + (3 if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE else 0)
        if model.jnt_type[j] in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
            quat = rng.normal(size=4)
            qpos[adr : adr + 4] = quat / np.linalg.norm(quat)
    return qpos


BIT = mujoco.mjtDisableBit
UNILATERAL = BIT.mjDSBL_CONTACT | BIT.mjDSBL_LIMIT | BIT.mjDSBL_FRICTIONLOSS


def write_state(out, model, data, rng):
    data.qpos[:] = random_qpos(model, rng)
    data.qvel[:] = rng.normal(size=model.nv)
    data.ctrl[:] = rng.normal(size=model.nu)
    data.xfrc_applied[:] = rng.normal(size=(model.nbody, 6)) * (rng.random(size=(model.nbody, 1)) < 0.4)
    if model.na:
        data.act[:] = rng.normal(size=model.na)
        for i in range(model.nactuator):  # bristles bend and coils bear little
            if model.actuator_dyntype[i] == mujoco.mjtDyn.mjDYN_DCMOTOR:
                data.act[model.actuator_actadr[i] :][: model.actuator_actnum[i]] *= 0.3
    data.time = rng.uniform(0, 10)
    model.opt.disableflags = UNILATERAL
    mujoco.mj_forward(model, data)
    equality = {"eqpos": data.efc_pos.copy(), "eqJ": data.efc_J[: len(data.efc_pos) * model.nv].copy()}
    model.opt.disableflags = BIT.mjDSBL_CONSTRAINT
    mujoco.mj_forward(model, data)
    for i in range(model.nactuator):  # MuJoCo gives a rate to an actuator of a disabled group too, but does not use it
        if model.actuator_actadr[i] >= 0 and model.opt.disableactuator >> model.actuator_group[i] & 1:
            data.act_dot[model.actuator_actadr[i] :][: model.actuator_actnum[i]] = 0
    after, stepped = data.act.copy(), copy.copy(data)
    mujoco.mj_step(model, stepped)
    for i in range(model.nactuator):
        adr, n = model.actuator_actadr[i], model.actuator_actnum[i]
        if model.actuator_dyntype[i] == mujoco.mjtDyn.mjDYN_DCMOTOR:
            after[adr : adr + n] = stepped.act[adr : adr + n]
            bristle = adr + sum([model.actuator_dynprm[i, 7] > 0, model.actuator_gainprm[i, 5] > 0, model.actuator_dynprm[i, 2] > 0])
            if model.actuator_dynprm[i, 5] > 0 and model.opt.disableactuator >> model.actuator_group[i] & 1:
                after[bristle] = data.act[bristle]  # MuJoCo moves the bristles of a motor that it has switched off
        elif adr >= 0:
            after[adr] = next_activation(model, data, i, adr)
    moment = dense(data.moment_rownnz, data.moment_rowadr, data.moment_colind, data.actuator_moment, model.nv)
    tendons = dense(model.ten_J_rownnz, model.ten_J_rowadr, model.ten_J_colind, data.ten_J, model.nv)
    # a motor with several inputs is one actuator of MuJoCo's; ours has one more for each input but the first, without a force
    ours = [i for i in range(model.nactuator) for _ in range(max(1, model.actuator_ctrlnum[i]))]
    first = [k == 0 or ours[k - 1] != ours[k] for k in range(len(ours))]
    ctrl = np.concatenate([data.ctrl[model.actuator_ctrladr[i] :][: model.actuator_ctrlnum[i]] if model.actuator_ctrlnum[i] else [0.0]
                           for i in range(model.nactuator)])
    rows = {
        "qpos": data.qpos, "qvel": data.qvel, "ctrl": ctrl, "act": data.act, "time": [data.time],
        "wrench": np.roll(data.xfrc_applied, 3, axis=1), "qacc": data.qacc,
        "length": data.actuator_length[ours], "velocity": data.actuator_velocity[ours], "moment": moment[ours],
        "tendonlength": data.ten_length, "tendonJ": tendons, "bias": data.qfrc_bias, "tendonvelocity": data.ten_velocity,
        "force": data.actuator_force[ours] * first, "jointforce": data.qfrc_actuator, "passive": data.qfrc_passive,
        "rate": data.act_dot, "actnext": after, "neq": [len(equality["eqpos"])], **equality, "sensor": data.sensordata,
    }
    out.write("state\n")
    write_rows(out, rows)


def next_activation(model, data, i, adr):
    """MuJoCo's rule, from its documentation; the step itself would move the state too."""
    act, rate, tau = data.act[adr], data.act_dot[adr], model.actuator_dynprm[i, 0]
    exact = model.actuator_dyntype[i] == mujoco.mjtDyn.mjDYN_FILTEREXACT
    act = act + rate * (tau * (1 - np.exp(-model.opt.timestep / tau)) if exact else model.opt.timestep)
    return np.clip(act, *model.actuator_actrange[i]) if model.actuator_actlimited[i] else act


def main():
    folder, scenes, states, seed = sys.argv[1], *map(int, sys.argv[2:5])
    for i in range(scenes):
        rng = np.random.default_rng(seed + i)
        xml = Scene(rng).xml
        with open(os.path.join(folder, f"{i}.xml"), "w", encoding="utf-8") as out:
            out.write(xml)
        model = mujoco.MjModel.from_xml_string(xml)
        data = mujoco.MjData(model)
        with open(os.path.join(folder, f"{i}.txt"), "w", encoding="utf-8") as out:
            nu = sum(max(1, n) for n in model.actuator_ctrlnum)
            out.write(f"sizes {model.nq} {model.nv} {nu} {model.na} {model.ntendon} {model.nsensordata} {model.nbody}\n")
            for _ in range(states):
                write_state(out, model, data, rng)


main()
