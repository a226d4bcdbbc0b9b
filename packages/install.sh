# Functions of ./demo and ./check: install what is missing. To be sourced in bash.

# Names in package lists, comments left out: listed build run
listed() {
  local list
  for list in "$@"; do sed 's/#.*//' "packages/$list.txt"; done | tr -s ' \n' '\n' | sed '/^$/d'
}

missing() {
  local package
  for package in $(listed "$@"); do
    [[ $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) == "install ok installed" ]] || echo "$package"
  done
}

as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "Cannot install packages without root or sudo. As root: $*" >&2
    return 1
  fi
}

# Runs apt-get quietly; what it says is kept, and shown if it fails.
apt_quietly() {
  local log=build/packages.log
  mkdir -p build
  as_root env DEBIAN_FRONTEND=noninteractive apt-get "$@" >"$log" 2>&1 && return 0
  tail -n 20 "$log" >&2
  return 1
}

# True if apt's lists know every package given.
known() {
  local package
  for package in "$@"; do
    [[ -n $(apt-cache --quiet=2 policy "$package" 2>/dev/null | grep -v 'Candidate: (none)' | grep Candidate) ]] || return 1
  done
}

# install_packages LIST...: apt packages of these lists that are not there yet. The lists of apt are
# fetched only when they do not know a package or are too old to install it.
install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    echo "Not a Debian system: please install yourself what packages/ lists ($*)."
    return 0
  fi
  local wanted
  mapfile -t wanted < <(missing "$@")
  [[ ${#wanted[@]} == 0 ]] && return 0
  echo "Installing: ${wanted[*]}"
  local how=(install --yes --no-install-recommends)
  if known "${wanted[@]}" && apt_quietly "${how[@]}" "${wanted[@]}"; then return 0; fi
  apt_quietly update && apt_quietly "${how[@]}" "${wanted[@]}"
}

# What the page needs, where it can be had: an npm that is there already serves, whoever installed it. Nothing
# fails without it; the build says what it leaves out.
install_page_tools() {
  if ! command -v npm >/dev/null; then
    install_packages page || echo "No npm: the page of reports and of the live view is left out."
  fi
  install_packages wasm || echo "No clang for wasm: reports will replay, but not go on simulating."
}

# make_arm64_root FOLDER: the libraries that Holdfast and its tests need, for arm64, with all that they depend on, unpacked into FOLDER.
# Nothing of this is installed: apt works with lists and a status of its own.
make_arm64_root() {
  [[ -e $1/complete ]] && return 0
  echo "Unpacking libraries for arm64 into $1"
  local root=$PWD/$1 log=build/packages.log wanted link
  local apt=$root/apt
  rm -rf "$root"
  mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
  : >"$apt/status"
  mapfile -t wanted < <(listed build test | grep -E '^(libc6|libexpat1|libqhull|libjansson|zlib1g|libwebsockets|libcap|libcmocka|libccd)-dev$')
  local get=(apt-get -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o "APT::Sandbox::User=$(id -un)"
    -o "Dir::State=$apt/state" -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt/cache")
  if ! { "${get[@]}" update && "${get[@]}" install --yes --download-only --no-install-recommends "${wanted[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    return 1
  fi
  find "$apt/cache/archives" -name '*.deb' -exec dpkg-deb --extract {} "$root" \;
  # Links to /lib/... would lead out of the folder.
  find "$root" -type l -lname '/*' | while read -r link; do ln --symbolic --force --no-dereference --relative "$root$(readlink "$link")" "$link"; done
  rm -rf "$apt"
  touch "$root/complete"
}

# True if the Python given has every peer.
has_peers() {
  "$1" -c 'import mujoco, numpy, scipy, h5py, pytest, hypothesis, gymnasium, yaml, material' >/dev/null 2>&1
}

# Packages of packages/cluster.txt, into the Python of the peers if that is one of ours. Nothing fails without them.
install_cluster() {
  [[ ${HF_PEERS_PYTHON:-} == "$PWD/$1/bin/python" ]] || return 0
  "$HF_PEERS_PYTHON" -c 'import ray, submitit, pandas, pyarrow, polars, websockets, nbclient, ipykernel' >/dev/null 2>&1 && return 0
  echo "Installing Ray, submitit, tables and notebooks into $1"
  local wanted
  mapfile -t wanted < <(listed cluster)
  timeout 900 "$1/bin/pip" install --quiet --retries 1 "${wanted[@]}" || echo "No Ray: tests on clusters and of notebooks are skipped."
}

# find_peers FOLDER: exports HF_PEERS_PYTHON, a Python with the peers; makes one in FOLDER if need be.
# Without network there is none, and the tests that need it are skipped.
find_peers() {
  local python
  for python in "${HF_PEERS_PYTHON:-}" "$PWD/$1/bin/python" python3; do
    if [[ -n $python ]] && has_peers "$python"; then
      HF_PEERS_PYTHON=$(command -v "$python")
      export HF_PEERS_PYTHON
      return 0
    fi
  done
  echo "Installing Python peers into $1"
  local wanted
  mapfile -t wanted < <(listed peers site)
  if python3 -m venv "$1" && timeout 600 "$1/bin/pip" install --quiet --retries 1 "${wanted[@]}" && has_peers "$1/bin/python"; then
    export HF_PEERS_PYTHON=$PWD/$1/bin/python
  else
    echo "No Python peers: tests that compare with them are skipped."
    unset HF_PEERS_PYTHON
  fi
}
