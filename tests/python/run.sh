#!/bin/sh
# run.sh FOLDER FILE...: pytest on files, with the package that lies in FOLDER. Exit status 77: no Python for it.
folder=$1
shift
python=${HF_PEERS_PYTHON:-python3}
if ! "$python" -c 'import sys, numpy, pytest, hypothesis; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  echo "[  SKIPPED ] $* needs a Python 3.11 with the packages of packages/peers.txt (HF_PEERS_PYTHON)"
  exit 77
fi
export PYTHONPATH="$folder" HF_COUNT=1 PYTHONDONTWRITEBYTECODE=1
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 # small matrices: more threads only wait for each other
exec "$python" -m pytest -q -s -x -p no:cacheprovider --no-header --tb=short "$@"
