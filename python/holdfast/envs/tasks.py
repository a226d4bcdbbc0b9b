"""The tasks."""

from __future__ import annotations

import numpy as np

from .base import Task


class Pinch(Task):
    """Go down to a block, pinch it, lift it.

    Actions (3): steps of the hand's target along x and z (2 cm a step at most), and how far the fingers close.
    Success: the block is 5 cm above where it lay.
    """

    scene = "pinch.xml"
    skip, horizon, actions = 10, 50, 3

    def prepare(self) -> None:
        self.target = np.zeros((self.worlds, 2))
        b = self.batch
        self.ctrl, self.q, self.v, self.touch = b.ctrl, b.q, b.v, b.sensors

    def start(self, world: int, rng: np.random.Generator) -> None:
        self.q["x"][world] = self.target[world, 0] = rng.uniform(-0.04, 0.04)
        self.q["z"][world] = self.target[world, 1] = rng.uniform(0.0, 0.06)
        self.q["block"][world, 0] = rng.uniform(-0.05, 0.05)
        self.ctrl["x"][world], self.ctrl["z"][world] = self.target[world]

    def act(self, action: np.ndarray) -> None:
        self.target = np.clip(self.target + 0.02 * action[:, :2], (-0.1, -0.1), (0.1, 0.08))
        self.ctrl["x"], self.ctrl["z"] = self.target.T
        self.ctrl["left"] = self.ctrl["right"] = 0.02 * (action[:, 2] + 1)

    def _offset(self) -> np.ndarray:
        """From between the fingertips to the block (x, z) [m]."""
        block = np.asarray(self.q["block"])
        tips = np.stack([self.q["x"], 0.16 + self.q["z"] - 0.045], 1)
        return block[:, [0, 2]] - tips

    def observe(self) -> np.ndarray:
        q, v = np.asarray(self.q), np.asarray(self.v)
        return np.concatenate([10 * q[:, :4], v[:, :4], 10 * self._offset(), 10 * q[:, 6:7], np.tanh(self.touch / 3), 10 * self.target], 1)

    def judge(self):
        d = self._offset()
        lift = np.clip(np.asarray(self.q["block"])[:, 2] - 0.016, 0, 0.08)
        held = (np.asarray(self.touch) > 0.3).all(1)
        success = lift > 0.05
        reward = -4 * np.hypot(*d.T) + 0.2 * held + 60 * lift * held + 0.5 * success
        return reward, np.zeros(self.worlds, bool), success


class PegInHole(Task):
    """Put a peg of 2 cm into a hole of 2.1 cm whose place is known only to 2 mm.

    Actions (3): steps of the holder's target (4 mm a step at most). Success: the tip is 3 cm deep in the hole.
    """

    scene = "peg.xml"
    skip, horizon, actions = 10, 80, 3
    camera = ((0.25, -0.35, 0.3), (0.0, 0.0, 0.06))

    def prepare(self) -> None:
        self.target = np.zeros((self.worlds, 3))
        self.blur = np.zeros((self.worlds, 2))
        b = self.batch
        self.ctrl, self.q, self.v, self.force = b.ctrl, b.q, b.v, b.actuator_force

    def start(self, world: int, rng: np.random.Generator) -> None:
        self.target[world] = *rng.uniform(-0.02, 0.02, 2), 0.0
        self.blur[world] = rng.uniform(-0.002, 0.002, 2)
        self.q[world, :3] = self.target[world]
        self.ctrl[world] = self.target[world]

    def act(self, action: np.ndarray) -> None:
        self.target = np.clip(self.target + 0.004 * action, (-0.04, -0.04, -0.09), (0.04, 0.04, 0.02))
        self.ctrl[:] = self.target

    def _depth(self) -> np.ndarray:
        """How deep the tip is in the hole [m]; negative above it."""
        return 0.05 - (0.14 + np.asarray(self.q["z"]) - 0.055)

    def observe(self) -> np.ndarray:
        q = np.asarray(self.q).copy()
        q[:, :2] += self.blur
        return np.concatenate([20 * q[:, :3], 5 * q[:, 3:], np.asarray(self.v), np.asarray(self.force) / 10, 20 * self.target], 1)

    def judge(self):
        aside = np.hypot(self.q["x"], self.q["y"])
        depth = self._depth()
        success = (depth > 0.03) & (aside < 0.003)
        reward = -5 * aside + 4 * np.clip(depth, -0.05, 0.04) * (aside < 0.003) + 1.0 * success
        return reward, success.copy(), success


class AllegroReorient(Task):
    """Turn a mug that an Allegro hand holds against gravity about its upright axis without dropping it.

    Actions (16): offsets of the joints' targets from the grasp (0.3 rad at most). The goal is an angle of the mug
    drawn for each episode. Success: within 0.1 rad of it. The episode ends when the mug falls.
    """

    scene = "allegro_mug_gravity.xml"
    key = "grasp"
    skip, horizon, actions = 20, 100, 16
    camera = ((0.35, -0.25, 0.35), (0.08, 0.03, 0.08))

    def prepare(self) -> None:
        self.goal = np.zeros(self.worlds)
        b, m = self.batch, self.model
        self.ctrl, self.q, self.v = b.ctrl, b.q, b.v
        self.grasp = m.key("grasp").qpos
        self.mug = np.flatnonzero(np.asarray(m.jnt_type) == 0)[0]
        self.at = int(m.jnt_qposadr[self.mug])
        self.hold = self._closing()

    def _closing(self) -> np.ndarray:
        """Targets beyond the grasp, so that the servos squeeze."""
        closing = self.grasp[:16].copy()
        closing[[1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 15]] += 0.25
        return closing

    def start(self, world: int, rng: np.random.Generator) -> None:
        self.goal[world] = rng.uniform(-0.3, 0.3)
        self.ctrl[world] = self.hold

    def act(self, action: np.ndarray) -> None:
        self.ctrl[:] = self.hold + 0.3 * action

    def _angle(self) -> np.ndarray:
        """Turn of the mug about the world's z since the start [rad]."""
        def yaw(quat):
            w, x, y, z = quat.T
            return np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))

        turn = yaw(np.asarray(self.q)[:, self.at + 3:self.at + 7]) - yaw(self.grasp[None, self.at + 3:self.at + 7])
        return (turn + np.pi) % (2 * np.pi) - np.pi

    def observe(self) -> np.ndarray:
        q = np.asarray(self.q)
        place = 10 * (q[:, self.at:self.at + 3] - self.grasp[self.at:self.at + 3])
        return np.concatenate([q[:, :16] - self.grasp[:16], 0.1 * np.asarray(self.v)[:, :16], place, q[:, self.at + 3:self.at + 7],
                               self._angle()[:, None], self.goal[:, None]], 1)

    def judge(self):
        error = np.abs(self._angle() - self.goal)
        drop = np.linalg.norm(np.asarray(self.q)[:, self.at:self.at + 3] - self.grasp[self.at:self.at + 3], axis=1)
        fallen = drop > 0.08
        success = (error < 0.1) & ~fallen
        return np.exp(-5 * error) - 2 * drop - 10.0 * fallen + 0.5 * success, fallen, success


class IiwaPick(Task):
    """Pick a bottle from a table with an iiwa and a WSG 50.

    Actions (8): velocities of the seven joints (1 rad/s at most), which the step itself reaches within the motors'
    torques, and the grip (-1 opens, 1 closes with 60 N). Success: the bottle is 10 cm above the table.
    """

    scene = "iiwa_pick.xml"
    key = "home"
    skip, horizon, actions = 20, 150, 8
    camera = ((1.9, -1.2, 1.6), (0.5, 0.0, 0.5))

    def prepare(self) -> None:
        b, m = self.batch, self.model
        self.ctrl, self.q, self.v, self.pose = b.ctrl, b.q, b.v, b.pose
        self.velocity, self.limit = b.velocity_target, b.force_limit
        self.arm = [m.joint(f"iiwa_joint{i}").dofadr for i in range(1, 8)]
        self.torque = np.array([320, 320, 176, 176, 110, 40, 40.0])
        self.bottle = int(m.jnt_qposadr[np.flatnonzero(np.asarray(m.jnt_type) == 0)[0]])
        self.tip = [i for i, n in enumerate(m.names("body")) if "finger" in n][:2]
        self.fingers = [i for i in range(m.nv) if 7 <= i < 9]
        self.z0 = float(m.key("home").qpos[self.bottle + 2])
        self.batch.evaluate()

    def start(self, world: int, rng: np.random.Generator) -> None:
        self.q[world, self.bottle:self.bottle + 2] += rng.uniform(-0.05, 0.05, 2)
        self.limit[world, self.arm] = self.torque

    def act(self, action: np.ndarray) -> None:
        self.velocity[:, self.arm] = action[:, :7]
        self.limit[:, self.arm] = self.torque
        self.ctrl[:] = 0
        self.ctrl["iiwa_wsg_grip"] = np.where(action[:, 7] > 0, 60.0, -20.0) * np.abs(action[:, 7])

    def _reach(self) -> np.ndarray:
        """From the middle of the fingers to the bottle's middle [m]."""
        tip = np.asarray(self.pose)[:, self.tip, :3].mean(1)
        bottle = np.asarray(self.q)[:, self.bottle:self.bottle + 3] + (0, 0, 0.12)
        return bottle - tip

    def observe(self) -> np.ndarray:
        q, v = np.asarray(self.q), np.asarray(self.v)
        return np.concatenate([q[:, :9], 0.2 * v[:, :9], 2 * self._reach(), q[:, self.bottle:self.bottle + 7]], 1)

    def judge(self):
        q = np.asarray(self.q)
        lift = np.clip(q[:, self.bottle + 2] - self.z0, -0.5, 0.3)
        fallen = lift < -0.2
        success = lift > 0.1
        return -np.linalg.norm(self._reach(), axis=1) + 5 * np.clip(lift, 0, None) + 1.0 * success - 5.0 * fallen, fallen, success
