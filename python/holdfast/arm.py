"""Arms: kinematics forward and inverse, joint torques; and the gripper's controller."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._arrays import finite, floats
from .model import Model
from .state import Input


class Grip(_core.Grip):
    """Force control of a parallel gripper whose drive pushes with a force, closing > 0. Widths are between the pads
    [m].

        grip = hf.Grip()
        grip.close(width, 20)              # until contact, then squeeze with 20 N
        sim.input.ctrl["grip"] = grip.control(width, rate, squeeze, sim.step_size)   # in every step, from what is measured

    - stiffness [N/m], damping [N s/m]: gains of the control of the width. As the force acts for a whole period h, damping must be less than
      about m/h, where m [kg] is the force divided by the acceleration of the width: half the mass of a finger, if the drive pushes both
    - speed [m/s]: of opening and closing
    - force_limit [N]: largest force of the drive
    - touch [N]: squeeze that counts as contact
    - integral [1/s]: gain of the integral of the force error while it squeezes
    - slew [N/s]: how fast the commanded squeeze may change
    - settle_share [-], settle_time [s]: it is settled once the squeeze has been within this share of its target for this time
    """

    def __new__(cls, *, stiffness: float = 2000, damping: float = 60, speed: float = 0.1, force_limit: float = 80, touch: float = 1,
                integral: float = 20, slew: float = 200, settle_share: float = 0.05, settle_time: float = 0.05) -> Grip:
        return super().__new__(cls, stiffness=stiffness, damping=damping, speed=speed, force_limit=force_limit, touch=touch, integral=integral,
                               slew=slew, settle_share=settle_share, settle_time=settle_time)

    def open(self, width_now: float, width: float) -> None:
        """Begins to move from a width to another one, and to hold it [m]."""
        self._open(width_now, width)

    def close(self, width_now: float, squeeze: float) -> None:
        """Begins to close from a width [m] until contact, then to squeeze [N]. While it squeezes already, it changes
        the squeeze only."""
        self._close(width_now, squeeze)

    def control(self, width: float, rate: float, squeeze: float, h: float) -> float:
        """Force of the drive [N] for a period h [s], from what is measured: width [m], its rate (opening > 0) [m/s],
        and squeeze, the mean of the normal forces at the fingers [N]."""
        return self._control(width, rate, squeeze, h)


class IkResult(NamedTuple):
    """Joint positions or rates (n), a status ("ok", "no solution", "not converged") and how near it came:
    position_error [m], rotation_error [rad], iterations, restarts, and how many joints are limited by their ranges or
    speeds. Errors of rates are in m/s and rad/s."""

    q: np.ndarray
    status: str
    report: dict[str, Any]


_STATUS = {0: "ok", 1: "not converged", 3: "no solution"}


def rotation(quat: Any) -> np.ndarray:
    """Rotation matrix of a quaternion w x y z."""
    w, x, y, z = np.asarray(quat, float) / np.linalg.norm(quat)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def _rotation_of(x: Any) -> np.ndarray:
    """A rotation matrix, given as such or as a quaternion."""
    if np.shape(x) == (4,):
        q = floats(x, (4,), "rotation")
        if not 0 < np.linalg.norm(q) < np.inf:
            raise ValueError(f"rotation: the quaternion {q} has no direction")
        return rotation(q)
    R = floats(x, (3, 3), "rotation")
    if not (np.abs(R @ R.T - np.eye(3)).max() < 1e-6 and np.linalg.det(R) > 0):
        raise ValueError(f"rotation is no rotation matrix: its rows must be orthogonal, of length 1 and right-handed; it is {R.tolist()}")
    return R


class Arm(_core.Arm):
    """A chain of hinges and slides that moves a tip (a site, or else a body). base: the first body whose joints
    belong to the chain, for an arm on a moving base; None: all joints from the world to the tip. ``arm.joints`` are
    the ids of its ``arm.n`` joints, and ``arm.effort`` the largest forces of their motors (n) [N m or N].

        arm = hf.Arm(model, "tip")
        arm.set(state.q)
        result = arm.solve((0.5, 0, 0.6), np.eye(3))
    """

    def __new__(cls, model: Model, tip: str, base: str | None = None) -> Arm:
        return super().__new__(cls, model, tip, base)

    def __init__(self, model: Model, tip: str, base: str | None = None):
        self.model = model
        joints = self._joints()
        self.joints = [j for j, _ in joints]
        self.effort = np.array([e for _, e in joints])
        self.n = len(joints)
        self._now = np.zeros(self.n)  # positions of the chain, from which solve() begins

    def set(self, q_world: Any, q: Any = None) -> Arm:
        """The world at q_world (nq), then optionally the chain moved to q (n)."""
        world = finite(q_world, (self.model.nq,), "q_world")
        chain = self.positions(world) if q is None else finite(q, (self.n,), "q")
        self._set(world, None if q is None else chain)
        self._now = chain.copy()
        return self

    def positions(self, q_world: Any) -> np.ndarray:
        """The chain's part (n) of a world's positions."""
        return np.asarray(self._positions(floats(q_world, (self.model.nq,), "q_world")))

    @property
    def pose(self) -> tuple[np.ndarray, np.ndarray]:
        """(position (3) [m], rotation matrix (3, 3)) of the tip."""
        p, R = self._pose()
        return np.array(p), np.array(R).reshape(3, 3)

    def jacobian(self) -> np.ndarray:
        """(6, n), angular then linear, of the tip's origin."""
        return np.asarray(self._jacobian())

    def solve(self, position: Any, rotation_matrix: Any = None, *, start: Any = None, posture: Any = None, **options: Any) -> IkResult:
        """Joint positions that put the tip at a pose, within the joints' ranges. Rotation: a matrix, a quaternion w x
        y z, or None: as it is now. start (n): first guess; None: where the arm is. posture (n): positions that are
        preferred where there is a choice. Options as in ``manipulation.h``: position_tolerance=1e-7 [m],
        rotation_tolerance=1e-6 [rad], iterations=400, restarts=10, seed=1, ..."""
        R = self.pose[1] if rotation_matrix is None else _rotation_of(rotation_matrix)
        guess = self._now if start is None else start
        q, status, report = self._solve(floats(position, (3,), "position"), floats(R, (3, 3), "rotation"),
                                        floats(guess, (self.n,), "start"), options,
                                        None if posture is None else floats(posture, (self.n,), "posture"))
        self._now = np.array(q)
        return IkResult(np.asarray(q), _STATUS.get(status, str(status)), report)

    def rate(self, twist: Any, *, speed: Any = None, posture: Any = None, **options: Any) -> IkResult:
        """Joint rates (n) [rad/s or m/s] that move the tip with a twist (6), angular then linear [rad/s, m/s]. They
        keep the joints within their ranges until the end of a period (period=0.002 [s]), and within speed (n) [rad/s
        or m/s], if given. posture (n): positions that are approached by motions which do not move the tip. Options as
        in ``manipulation.h``."""
        q, status, report = self._rate(floats(twist, (6,), "twist"), options,
                                       None if speed is None else floats(speed, (self.n,), "speed"),
                                       None if posture is None else floats(posture, (self.n,), "posture"))
        return IkResult(np.asarray(q), _STATUS.get(status, str(status)), report)

    def torque(self, q_world: Any, v_world: Any, wanted: Any, gains: Any, h: float, integral: np.ndarray | None = None) -> tuple[np.ndarray, int]:
        """Inverse dynamics with feedback: (torques (n) [N m or N], joints at their limit). wanted (n, 3): position,
        rate, second rate; gains (n, 3): kp, ki, kd in 1/s^2, 1/s^3, 1/s. integral (n), if given, is updated in place;
        without it ki has no effect."""
        if not 0 <= h < np.inf:
            raise ValueError(f"h must be a time >= 0 [s], is {h!r}")
        if integral is not None:
            finite(integral, None, "integral")
        tau, limited = self._torque(finite(q_world, (self.model.nq,), "q_world"), finite(v_world, (self.model.nv,), "v_world"),
                                    finite(wanted, (self.n, 3), "wanted"),
                                    finite(np.broadcast_to(gains, (self.n, 3)), (self.n, 3), "gains"), float(h),
                                    np.zeros(self.n) if integral is None else integral)
        return np.asarray(tau), limited

    def apply(self, tau: Any, input: Input) -> None:
        """Puts torques into the controls of the joints' motors, or into the forces of joints without one."""
        self._apply(finite(tau, (self.n,), "tau"), input)
