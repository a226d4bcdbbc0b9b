"""The store of a study: one SQLite file. docs/guide/studies.md has the schema and what a kill at any point leaves."""

from __future__ import annotations

import fcntl
import hashlib
import json
import math
import os
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Iterable, Iterator

from .._core import version
from .draw import Run
from .errors import StudyError
from .results import Result
from .spec import Study

FORMAT = 1  # of the schema; a store of another format is refused
_SCHEMA = """
CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE run (
  idx INTEGER PRIMARY KEY,      -- number of the run in the study
  parameters TEXT NOT NULL,     -- JSON
  seed INTEGER NOT NULL,
  status TEXT NOT NULL,         -- planned, done, failed, timeout
  success INTEGER,              -- 1, 0, or NULL where the study does not say
  message TEXT NOT NULL DEFAULT '',
  metrics TEXT NOT NULL DEFAULT '{}', -- JSON; numbers that are not finite are the texts nan, inf, -inf
  state BLOB,                   -- final state, by request
  model TEXT NOT NULL DEFAULT '',     -- hash of the model
  version TEXT NOT NULL DEFAULT '',   -- of Holdfast
  wall REAL,                    -- time of the clock [s]; no part of the digest
  finished REAL                 -- when [s since 1970]; no part of the digest
);
CREATE INDEX run_status ON run (status);
CREATE TABLE recording (idx INTEGER PRIMARY KEY REFERENCES run (idx), data BLOB NOT NULL);
"""
_NAMES = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def _encode(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, dict):
        return {k: _encode(v) for k, v in value.items()}
    return [_encode(v) for v in value] if isinstance(value, list) else value


def _decode(value: Any) -> Any:
    if isinstance(value, str):
        return _NAMES.get(value, value)
    if isinstance(value, dict):
        return {k: _decode(v) for k, v in value.items()}
    return [_decode(v) for v in value] if isinstance(value, list) else value


def _read_object(store: Path, text: Any, what: str) -> dict[str, Any]:
    """A JSON object of a store, decoded. A store that was damaged is refused, and the message says where."""
    try:
        value = _decode(json.loads(text))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise StudyError(f"{store} is damaged: {what} cannot be read ({type(error).__name__}: {error})") from None
    if not isinstance(value, dict):
        raise StudyError(f"{store} is damaged: {what} is not an object")
    return value


def _dumps(value: Any) -> str:
    return json.dumps(_encode(value), allow_nan=False, default=str)


class Lock:
    """At most one process writes a store. The kernel releases the lock when the process ends, however it ends."""

    def __init__(self, store: Path):
        self.path = _lock_path(store)
        try:
            while not self._take():
                pass
        except BlockingIOError:
            raise StudyError(f"another process is running this study: it holds {self.path}") from None
        except OSError as error:
            raise StudyError(f"cannot write {self.path}: {error.strerror}") from None

    def _take(self) -> bool:
        """Opens the file and locks it. False: a process that held it has removed it in the meantime."""
        self._file = open(self.path, "a")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.exists(self.path) and os.path.samestat(os.stat(self.path), os.fstat(self._file.fileno())):
                return True
        except OSError:
            self._file.close()
            raise
        self._file.close()
        return False

    def release(self) -> None:
        """Gives the lock up and removes its file, unless that has something in it and so is somebody else's."""
        if os.fstat(self._file.fileno()).st_size == 0:
            with suppress(OSError):
                self.path.unlink()
        self._file.close()


def _lock_path(store: Path) -> Path:
    """The lock of a store is beside its file, whichever symbolic links lead there."""
    return Path(f"{Path(store).resolve()}.lock")


def is_running(store: Path) -> bool:
    """Whether a process holds the lock of a store."""
    try:
        with open(_lock_path(store)) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True


class Store:
    """A store that is open. ``Store(path)`` reads one; :meth:`create` makes it or goes on with one of the same study."""

    def __init__(self, path: str | os.PathLike, writable: bool = False):
        self.path = Path(path)
        if not self.path.exists():
            raise StudyError(f"there is no store {self.path}")
        self._connect(writable)
        try:
            self.about = self._read_about()
        except sqlite3.Error as error:
            raise StudyError(f"{self.path} is no store of a study: {error}") from None
        if self.about.get("format") != str(FORMAT):
            raise StudyError(f"{self.path} has format {self.about.get('format')}, this version reads {FORMAT}")

    def _read_about(self) -> dict[str, str]:
        query = "SELECT key, value FROM study"
        try:
            return dict(self.db.execute(query))
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_READONLY_ROLLBACK:  # errors of the module itself have no code
                raise
        # A driver that is killed while the journal changes its mode leaves half a write, and only a connection that may write takes that back.
        with closing(sqlite3.connect(self._address("rw"), uri=True, timeout=30)) as db:
            db.execute(query).fetchone()
        return dict(self.db.execute(query))

    def _address(self, mode: str) -> str:
        return f"{self.path.absolute().as_uri()}?mode={mode}"

    def _connect(self, writable: bool) -> None:
        self._writable = writable
        try:
            self.db = sqlite3.connect(self._address("rw" if writable else "ro"), uri=True, timeout=30, isolation_level=None)
            if writable:
                self.db.execute("PRAGMA journal_mode = WAL")
                self.db.execute("PRAGMA synchronous = FULL")
        except sqlite3.Error as error:
            raise StudyError(f"cannot open {self.path}: {error}") from None

    @classmethod
    def create(cls, path: str | os.PathLike, study: Study, shard: tuple[int, int] | None = None, model: str = "") -> Store:
        """The store of a study at a path: a new one, or the one that is there if it is of the same study."""
        path = Path(path)
        if path.exists() and path.stat().st_size > 0:
            store = cls(path, writable=True)
            store._check_same(study, shard, model)
            return store
        if path.exists() and not path.is_file():
            raise StudyError(f"cannot write {path}: it is no file, and a store would take its place")
        target = path.resolve()  # a link stays a link
        temporary = Path(f"{target}.new")  # a kill while the plan is written leaves no half a plan
        try:
            temporary.unlink(missing_ok=True)
            with closing(sqlite3.connect(temporary, isolation_level=None)) as db:
                cls._write_plan(db, study, shard, model)
            for journal in ("-wal", "-shm", "-journal"):  # of an earlier store whose file was removed after a kill: SQLite would write its pages into this one
                Path(f"{target}{journal}").unlink(missing_ok=True)
            os.replace(temporary, target)
        except (OSError, sqlite3.Error) as error:
            with suppress(OSError):
                temporary.unlink()
            raise StudyError(f"cannot write {path}: {error}") from None
        return cls(path, writable=True)

    @staticmethod
    def _write_plan(db: sqlite3.Connection, study: Study, shard: tuple[int, int] | None, model: str) -> None:
        db.execute("PRAGMA journal_mode = MEMORY")  # where the plan cannot be written its file is removed: no journal needs to stay beside it
        db.executescript(_SCHEMA)
        with db:
            db.execute("BEGIN")
            about = {"format": FORMAT, "study": json.dumps(study.to_dict(), default=str), "hash": study.hash, "version": version,
                     "model": model, "runs": len(study.plan), "shard": "%d/%d" % (shard or (1, 1)), "created": time.time()}
            db.executemany("INSERT INTO study VALUES (?, ?)", [(k, str(v)) for k, v in about.items()])
            rows = ((r.index, _dumps(r.parameters), r.seed) for r in study.plan if shard is None or r.index % shard[1] == shard[0] - 1)
            db.executemany("INSERT INTO run (idx, parameters, seed, status) VALUES (?, ?, ?, 'planned')", rows)

    def _check_same(self, study: Study, shard: tuple[int, int] | None, model: str) -> None:
        if self.about["hash"] != study.hash:
            raise StudyError(f"{self.path} is the store of another study, or of an earlier text of this one; name another by --store")
        if self.about["shard"] != "%d/%d" % (shard or (1, 1)):
            raise StudyError(f"{self.path} has shard {self.about['shard']} of the study")
        if self.about["version"] != version:
            raise StudyError(f"{self.path} was begun by version {self.about['version']}, this is {version}: bits may differ")
        if model and self.about["model"] and self.about["model"] != model:
            raise StudyError(f"the scene or function has changed since {self.path} was begun (model {self.about['model']}, now {model})")

    # ---- writing --------------------------------------------------------------------------------------------

    def add(self, results: Iterable[Result]) -> None:
        """Records results in one transaction. A run that has a result keeps it."""
        now = time.time()
        results = list(results)
        self.db.execute("BEGIN IMMEDIATE")
        try:
            for r in results:
                changed = self.db.execute(
                    "UPDATE run SET status=?, success=?, message=?, metrics=?, state=?, model=?, version=?, wall=?, finished=? "
                    "WHERE idx=? AND status='planned'",
                    (r.status, None if r.success is None else int(r.success), r.message, _dumps(r.metrics), r.state, r.model,
                     version, r.wall, now, r.index)).rowcount
                if changed and r.recording is not None:
                    self.db.execute("INSERT OR REPLACE INTO recording VALUES (?, ?)", (r.index, r.recording))
            self.db.execute("COMMIT")
        except sqlite3.Error:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")
            raise

    def forget_failures(self) -> int:
        """Plans all runs again that failed or took too long. Returns how many."""
        with self.db:
            self.db.execute("BEGIN IMMEDIATE")
            self.db.execute("DELETE FROM recording WHERE idx IN (SELECT idx FROM run WHERE status IN ('failed', 'timeout'))")
            return self.db.execute("UPDATE run SET status='planned', success=NULL, message='', metrics='{}' "
                                   "WHERE status IN ('failed', 'timeout')").rowcount

    def close(self) -> None:
        """Closes the store. One that was written becomes one file that can be read from a folder without write access."""
        if self._writable:
            try:
                self.db.execute("PRAGMA journal_mode = DELETE")
            except sqlite3.Error:
                pass  # somebody reads it, or the disk is full: it stays as it is, which is as good
        self.db.close()

    # ---- reading --------------------------------------------------------------------------------------------

    @property
    def study(self) -> Study:
        return Study.from_dict(_read_object(self.path, self.about.get("study"), "the description of the study"))

    def planned(self) -> list[Run]:
        """Runs that have no result yet."""
        rows = self.db.execute("SELECT idx, parameters, seed FROM run WHERE status='planned' ORDER BY idx")
        return [Run(i, _read_object(self.path, p, f"the parameters of run {i}"), s) for i, p, s in rows]

    def counts(self) -> dict[str, int]:
        """How many runs there are in each status, and how many successes and failures among those done."""
        out = {"planned": 0, "done": 0, "failed": 0, "timeout": 0}
        out.update(self.db.execute("SELECT status, count(*) FROM run GROUP BY status"))
        out["runs"] = sum(out.values())
        out["successes"], out["misses"] = self.db.execute(
            "SELECT coalesce(sum(success = 1), 0), coalesce(sum(success = 0), 0) FROM run WHERE status = 'done'").fetchone()
        return out

    def rows(self) -> Iterator[dict[str, Any]]:
        """All runs in order, as dicts: index, status, success, message, seed, model, version, wall, parameters, metrics."""
        query = "SELECT idx, status, success, message, seed, model, version, wall, parameters, metrics FROM run ORDER BY idx"
        for i, status, success, message, seed, model, made, wall, parameters, metrics in self.db.execute(query):
            yield {"index": i, "status": status, "success": None if success is None else bool(success), "message": message,
                   "seed": seed, "model": model, "version": made, "wall": wall,
                   "parameters": _read_object(self.path, parameters, f"the parameters of run {i}"),
                   "metrics": _read_object(self.path, metrics, f"the metrics of run {i}")}

    def state(self, index: int) -> bytes | None:
        """The final state of a run, where it was kept: ``holdfast.State.from_bytes(model, data)``."""
        row = self.db.execute("SELECT state FROM run WHERE idx=?", (index,)).fetchone()
        return row[0] if row else None

    def recording(self, index: int) -> bytes | None:
        """The recording of a run, where it was kept."""
        row = self.db.execute("SELECT data FROM recording WHERE idx=?", (index,)).fetchone()
        return row[0] if row else None

    def digest(self) -> str:
        """A hash of all rows in order, without what the clock says. Equal digests: the same results, bit for bit. Recordings
        hold times of the clock: only which runs have one counts."""
        total = hashlib.sha256()
        columns = "idx, parameters, seed, status, success, message, metrics, state, model, version"
        for row in self.db.execute(f"SELECT {columns} FROM run ORDER BY idx"):
            total.update(repr(row).encode())
        for row in self.db.execute("SELECT idx FROM recording ORDER BY idx"):
            total.update(repr(row).encode())
        return total.hexdigest()


def merge(out: str | os.PathLike, shards: Iterable[str | os.PathLike]) -> Store:
    """Joins the stores of shards into one. Shards of another study are refused; a run counts once."""
    stores = [Store(s) for s in shards]
    if not stores:
        raise StudyError("merge needs stores to join")
    for s in stores[1:]:
        for key in ("hash", "version", "model"):
            if s.about[key] != stores[0].about[key]:
                raise StudyError(f"{s.path} differs in its {key} from {stores[0].path}: they do not belong together")
    lock = Lock(Path(out))
    try:
        _join(Path(out), stores)
    except sqlite3.Error as error:
        raise StudyError(f"cannot write {out}: {error}; what was joined stays, and merge can be repeated") from None
    finally:
        lock.release()
    return Store(out)


def _join(out: Path, stores: list[Store]) -> None:
    joined = Store.create(out, stores[0].study, None, stores[0].about["model"])
    try:
        for s in stores:
            results = s.db.execute("SELECT run.idx, status, message, success, metrics, state, data, wall, model FROM run "
                                   "LEFT JOIN recording USING (idx) WHERE status != 'planned' ORDER BY run.idx")
            joined.add(Result(i, status, message, None if success is None else bool(success), _read_object(s.path, metrics, f"the metrics of run {i}"),
                              state, data, wall, model) for i, status, message, success, metrics, state, data, wall, model in results)
            s.close()
    finally:
        joined.close()
