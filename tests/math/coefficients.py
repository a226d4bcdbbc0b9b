"""Prints the constants of src/math: polynomials, logarithms of the table, and the digits of 2/pi. Needs mpmath.

A polynomial p stands for a function g on an interval, with the least largest weighted error w |g - p| among all polynomials of its
degree (Remez' exchange of the points at which the error is largest). Its coefficients are then rounded to doubles. The printed error is
that of the rounded polynomial.
"""

from mpmath import asin, atan, cbrt, cos, exp, floor, ldexp, log, log1p, lu_solve, matrix, mp, mpf, pi

mp.prec = 200
POINTS = 500  # points of an interval among which the exchange looks for the largest errors


def fit(g, w, lo, hi, terms):
    """The coefficients of the best polynomial with these powers, and its largest weighted error."""
    x = [lo + (hi - lo) * (1 - cos(pi * k / POINTS)) / 2 for k in range(POINTS + 1)]
    x = [v for v in x if w(v) != 0]
    value, weight = [g(v) for v in x], [w(v) for v in x]
    n = len(terms)
    chosen = [round(k * (len(x) - 1) / n) for k in range(n + 1)]
    for _ in range(60):
        a, b = matrix(n + 1, n + 1), matrix(n + 1, 1)
        for i, k in enumerate(chosen):
            for j, power in enumerate(terms):
                a[i, j] = x[k] ** power
            a[i, n], b[i] = (-1) ** i / weight[k], value[k]
        solution = lu_solve(a, b)
        error = [weight[k] * (value[k] - sum(solution[j] * x[k] ** power for j, power in enumerate(terms))) for k in range(len(x))]

        # one point of largest error between each two changes of sign
        runs, best = [], 0
        for k in range(1, len(x)):
            if error[k] * error[best] < 0:
                runs.append(best)
                best = k
            elif abs(error[k]) > abs(error[best]):
                best = k
        runs.append(best)
        while len(runs) > n + 1:
            runs.pop(0 if abs(error[runs[0]]) < abs(error[runs[-1]]) else -1)
        largest = max(abs(e) for e in error)
        if len(runs) < n + 1 or largest < abs(solution[n]) * mpf("1.001"):
            break
        chosen = runs
    return list(solution[:n]), largest


def polynomial(name, g, w, lo, hi, count):
    """Prints the coefficients of 1, x, x^2 ... as doubles."""
    solution, _ = fit(g, w, lo, hi, list(range(count)))
    fixed = [mpf(float(c)) for c in solution]
    x = [lo + (hi - lo) * mpf(k) / 1000 for k in range(1001)]
    worst = max(w(v) * abs(g(v) - sum(c * v**i for i, c in enumerate(fixed))) for v in x if w(v) != 0)
    print(f"{name}: error 2^{float(log(worst, 2)):.1f}")
    for c in fixed:
        print("   ", float(c).hex())


def pair(value, bits=53):
    """A number as a sum of two doubles, of which the first has the given count of bits."""
    exponent = int(floor(log(abs(value), 2))) + 1 if value else 0
    high = ldexp(floor(ldexp(value, bits - exponent) + mpf(1) / 2), exponent - bits)
    return float(high).hex(), float(value - high).hex()


def main():
    tiny = mpf(2) ** -60  # stands for zero, at which the functions below divide zero by zero
    half = log(mpf(2)) / 2 * mpf("1.001")
    safe = lambda f, x, limit: f(x) if abs(x) > tiny else limit
    polynomial("exp(r) = 1 + r + r^2/2 + r^3 E(r), |r| <= log(2)/2", lambda r: safe(lambda x: (exp(x) - 1 - x - x * x / 2) / x**3, r, mpf(1) / 6),
               lambda r: r * r, -half, half, 10)
    polynomial("atan(t) = t + t z A(z), z = t^2 <= 1/16",
               lambda z: safe(lambda x: (atan(mp.sqrt(x)) / mp.sqrt(x) - 1) / x, z, mpf(-1) / 3), lambda z: z, mpf(0), mpf(1) / 16, 9)
    polynomial("asin(x) = x + x z S(z), z = x^2 <= 1/4",
               lambda z: safe(lambda x: (asin(mp.sqrt(x)) / mp.sqrt(x) - 1) / x, z, mpf(1) / 6), lambda z: z, mpf(0), mpf(1) / 4, 13)
    edge = mpf(1) / 64
    polynomial("log(1 + f) = f - f^2/2 + f^3 L(f), |f| <= 1/64", lambda f: safe(lambda x: (log1p(x) - x + x * x / 2) / x**3, f, mpf(1) / 3),
               lambda f: f * f, -edge, edge, 8)
    polynomial("cbrt(m), relative, 1 <= m <= 8", cbrt, lambda m: 1 / cbrt(m), mpf(1), mpf(8), 4)

    print("log 2 with 32 bits:", *pair(log(mpf(2)), 32))
    print("1/log 2:", *pair(1 / log(mpf(2))))
    print("1/log 10:", *pair(1 / log(mpf(10))))
    for name, value in [("pi/2", pi / 2), ("pi", pi), ("atan 1/2", atan(mpf(1) / 2)), ("pi/4", pi / 4), ("log 2", log(mpf(2)))]:
        print(name, *pair(value))

    # 1/m to 9 bits at the middle of each 1/64 of [0.6875, 1.375); the two pieces beside m = 1 have the inverse 1
    print("inverse of m, minus its logarithm")
    for k in range(44, 88):
        m = (mpf(k) + mpf(1) / 2) / 64
        inverse = mpf(1) if k in (63, 64) else floor(512 / m + mpf(1) / 2) / 512
        print("    {%s, %s, %s}," % (float(inverse).hex(), *pair(-log(inverse))))

    print("2/pi in words of 32 bits")
    rest, words = 2 / pi, []
    mp.prec = 1400
    rest = 2 / pi
    for _ in range(40):
        rest *= 2**32
        words.append(int(floor(rest)))
        rest -= floor(rest)
    print(", ".join(f"0x{w:08x}" for w in words))


main()
