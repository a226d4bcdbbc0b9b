"""Studies: thousands of runs over parameters, on one machine or a cluster, in a store that survives anything.

    from holdfast.study import Study

    study = Study.from_file("study.yaml")
    store = study.run("study.db")          # interrupted or killed: the same call goes on
    frame = to_pandas(store)

docs/guide/studies.md has the file format, docs/guide/cluster.md the way to Ray and Slurm.
"""

from .drive import Interrupted, run_study
from .errors import StudyError
from .results import Result
from .spec import Study
from .store import Store, merge

__all__ = ["Interrupted", "Result", "Store", "Study", "StudyError", "merge", "run_study"]
