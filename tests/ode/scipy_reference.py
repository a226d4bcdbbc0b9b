# Solutions by scipy's Radau and DOP853 at tight tolerances: FOLDER/reference.txt with one line a case.
import sys
import numpy as np
from scipy.integrate import solve_ivp


def pendulum(t, x):
    return [x[1], -9.81 * np.sin(x[0]) - 0.3 * x[1]]


def smooth_box(t, x):
    s = x[1] / 1e-4
    return [x[1], (4 * np.cos(2 * np.pi * t) - 0.33 * 9.8 * s / np.sqrt(1 + s * s)) / 0.33]


def van_der_pol(t, x):
    return [x[1], 1000 * (1 - x[0] ** 2) * x[1] - x[0]]


with open(sys.argv[1] + "/reference.txt", "w") as out:
    for name, f, x0, end, method, tol in [
        ("pendulum", pendulum, [1.5, 0.7], 3.0, "DOP853", 1e-13),
        ("box", smooth_box, [0.0, 0.0], 0.6, "Radau", 1e-11),
        ("van_der_pol", van_der_pol, [2.0, 0.0], 700.0, "Radau", 1e-11),
    ]:
        y = solve_ivp(f, (0, end), x0, method=method, rtol=tol, atol=tol * 1e-2).y[:, -1]
        out.write("%s %.17g %.17g\n" % (name, *y))
