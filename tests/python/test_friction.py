"""Friction problems: in memory, as text and in FCLIB's HDF5. Oracles: closed forms and the natural map by NumPy."""

import numpy as np
import pytest

import holdfast as hf


def natural_map(W, q, mu, r):
    """|r - P(r - u^)| of reactions r, by De Saxce's formula."""
    u = W @ r + q
    total = 0.0
    for i, m in enumerate(mu):
        a, b = r[3 * i:3 * i + 3], u[3 * i:3 * i + 3]
        w = a - b - np.array([m * np.hypot(b[1], b[2]), 0, 0])
        t = np.hypot(w[1], w[2])
        if m * t <= -w[0]:
            p = np.zeros(3)
        elif t <= m * w[0]:
            p = w
        else:
            n = (w[0] + m * t) / (1 + m * m)
            p = np.array([n, m * n * w[1] / t, m * n * w[2] / t])
        total += np.sum((a - p) ** 2)
    return np.sqrt(total)


def random_global(seed, bodies=6, contacts=12):
    rng = np.random.default_rng(seed)
    M = np.kron(np.diag(rng.uniform(0.5, 2, bodies)), np.eye(6))
    H = np.zeros((6 * bodies, 3 * contacts))
    for c in range(contacts):
        for body in rng.choice(bodies, 2, replace=False):
            H[6 * body:6 * body + 6, 3 * c:3 * c + 3] = rng.normal(size=(6, 3))
    return dict(M=M, H=H, f=rng.normal(size=6 * bodies), w=0.1 * rng.normal(size=3 * contacts), mu=rng.uniform(0.1, 0.5, contacts))


def to_local(p):
    X = np.linalg.solve(p["M"], p["H"])
    return dict(W=p["H"].T @ X, q=X.T @ p["f"] + p["w"], mu=p["mu"])


@pytest.mark.parametrize("seed", range(5))
def test_both_forms(seed):
    p = random_global(seed)
    local = to_local(p)
    a, b = hf.FrictionProblem(**p).solve(), hf.FrictionProblem(**local).solve()
    assert a.status == b.status == "ok"
    for s in (a, b):  # our natural map is NumPy's; the tolerance is 1e-8 of numbers below 100
        e = natural_map(local["W"], local["q"], local["mu"], s.r)
        assert e < 1e-6 and abs(s.report["natural_map"] - e) < 1e-9
    assert np.allclose(p["M"] @ a.v, p["H"] @ a.r + p["f"], atol=1e-9)  # solved by factors: rounding
    assert np.allclose(a.u, p["H"].T @ a.v + p["w"], atol=1e-9)


def test_any_matrix():
    """Dense, scipy's and our own matrices mean the same problem, bit for bit."""
    sparse = pytest.importorskip("scipy.sparse")
    local = to_local(random_global(7))
    dense = hf.FrictionProblem(**local).solve()
    for W in (sparse.csr_matrix(local["W"]), sparse.coo_matrix(local["W"]), hf.Sparse.of(local["W"])):
        assert np.array_equal(hf.FrictionProblem(**{**local, "W": W}).solve().r, dense.r)


def test_equality():
    """A mass of 2 that is pushed along x, held by an equality along x: the multiplier is minus the impulse."""
    p = hf.FrictionProblem(M=2 * np.eye(3), H=np.eye(3), f=[-4, 1, 0], w=np.zeros(3), mu=[0.0], G=[[0], [1], [0]], b=[0])
    s = p.solve(tolerance=1e-12)
    assert np.allclose(s.v, 0, atol=1e-11) and np.allclose(s.r, [4, 0, 0], atol=1e-10) and np.allclose(s.multiplier, -1, atol=1e-10)


def test_text_file(tmp_path):
    for p in (hf.FrictionProblem(**random_global(3)), hf.FrictionProblem(**to_local(random_global(3)))):
        p.write(tmp_path / "p.txt")
        q = hf.FrictionProblem.read(tmp_path / "p.txt")
        assert q.form == p.form and all(np.array_equal(p.vectors[n], q.vectors[n]) for n in p.vectors)
        assert all(np.array_equal(p.matrices[n].dense(), q.matrices[n].dense()) for n in p.matrices)
        assert np.array_equal(p.solve().r, q.solve().r)


def store(h5py, path, form, matrices, vectors, layout):
    """Writes FCLIB's layout by h5py alone, with matrices by rows (-2), by columns (-1) or as entries."""
    sparse = pytest.importorskip("scipy.sparse")
    with h5py.File(path, "w") as file:
        group = file.create_group(f"fclib_{form}")
        group["spacedim"] = np.array([3], np.int32)
        for name, dense in matrices.items():
            m = {-2: sparse.csr_matrix, -1: sparse.csc_matrix, 0: sparse.coo_matrix}[layout](dense)
            g = group.create_group(name)
            p, i = (m.indptr, m.indices) if layout < 0 else (m.col, m.row)
            numbers = {"m": m.shape[0], "n": m.shape[1], "nzmax": m.nnz + 5, "nz": layout if layout < 0 else m.nnz}
            for key, value in numbers.items():
                g[key] = np.array([value], np.int32)
            g["p"], g["i"], g["x"] = p.astype(np.int32), i.astype(np.int32), m.data
        for name, value in vectors.items():
            group[f"vectors/{name}"] = value


@pytest.mark.parametrize("layout", [-2, -1, 0])
def test_fclib_layouts(tmp_path, layout):
    h5py = pytest.importorskip("h5py", reason="needs h5py of packages/peers.txt")
    p = random_global(4)
    matrices, vectors = {n: p[n] for n in "MH"}, {n: p[n] for n in ("f", "w", "mu")}
    store(h5py, tmp_path / "g.hdf5", "global", matrices, vectors, layout)
    local = to_local(p)
    store(h5py, tmp_path / "l.hdf5", "local", {"W": local["W"]}, {n: local[n] for n in ("q", "mu")}, layout)
    for name, form, want in (("g", "global", p), ("l", "local", local)):
        q = hf.fclib.read(tmp_path / f"{name}.hdf5")
        assert q.form == form and q.dim == 3
        for key, value in want.items():
            got = q.matrices[key].dense() if key in q.matrices else q.vectors[key]
            assert np.array_equal(got, value)
        assert q.solve().status == "ok"
    assert hf.fclib.read_solution(tmp_path / "g.hdf5") is None


def test_fclib_round_trip(tmp_path):
    pytest.importorskip("h5py", reason="needs h5py of packages/peers.txt")
    p = hf.FrictionProblem(**random_global(5))
    s = p.solve()
    hf.fclib.write(tmp_path / "p.hdf5", p, s, title="twelve contacts")
    q, found = hf.fclib.read(tmp_path / "p.hdf5"), hf.fclib.read_solution(tmp_path / "p.hdf5")
    assert np.array_equal(found["r"], s.r) and np.array_equal(found["v"], s.v)
    assert q.evaluate(found["r"]).report["natural_map"] == s.report["natural_map"]
    assert q.solve(start=found["r"]).report["steps"] == 0


def test_misuse(tmp_path):
    with pytest.raises(ValueError, match="either W"):
        hf.FrictionProblem(mu=[0.5])
    with pytest.raises(ValueError, match="does not belong"):
        hf.FrictionProblem(mu=[0.5], W=np.eye(3), f=[1])
    with pytest.raises(ValueError, match="W must have shape"):
        hf.FrictionProblem(mu=[0.5, 0.5], W=np.eye(3), q=np.zeros(6)).solve()
    with pytest.raises(hf.ArgumentError, match="mu"):
        hf.FrictionProblem(mu=[-0.5], W=np.eye(3), q=np.zeros(3)).solve()
    with pytest.raises(TypeError, match="tolerance"):
        hf.FrictionProblem(mu=[0.5], W=np.eye(3), q=np.zeros(3)).solve(precision=1)
    with pytest.raises(hf.FileError):
        hf.FrictionProblem.read(tmp_path / "none.txt")
    wild = hf.Sparse((3, 3), np.array([0, 1, 2, 3], np.int32), np.array([0, 1, 9], np.int32), np.ones(3))
    with pytest.raises(hf.ArgumentError, match="column 9"):
        hf.FrictionProblem(mu=[0.5], W=wild, q=np.zeros(3)).solve()


@pytest.mark.filterwarnings("error")
def test_entries_are_checked():
    A = hf.Sparse.from_entries((2, 3), [1, 0, 1.0], [2, 0, 2], [1, 2, 3])
    assert (A.dense() == [[2, 0, 0], [0, 0, 4]]).all() and A.col.dtype == np.int32
    assert hf.Sparse.from_entries((2, 3), [], [], []).dense().shape == (2, 3)
    for row, col, said in (([np.nan], [0], "row nan"), ([0], [np.nan], "column nan"), ([0.5], [0], "row 0.5"), ([2], [0], "row 2"), ([-1], [0], "row -1"),
                           ([0], [3], "column 3"), ([np.inf], [0], "row inf"), ([0, 1], [0], "one length")):
        with pytest.raises(ValueError, match=said):
            hf.Sparse.from_entries((2, 3), row, col, [1.0])
    with pytest.raises(TypeError, match="rows of entries must be whole numbers"):
        hf.Sparse.from_entries((2, 3), ["a"], [0], [1.0])
