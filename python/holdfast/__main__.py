"""The command `holdfast`, as it lies in the wheel."""

import os
import shutil
import sys
from pathlib import Path


def main() -> int:
    """The command holdfast of the package: studies run here, all else is the program in C."""
    if sys.argv[1:2] == ["study"]:  # Python already: no detour by the command
        from .study.__main__ import main as study

        return study(sys.argv[2:])

    program = Path(__file__).parent / "bin" / "holdfast"
    if not program.exists():
        found = os.environ.get("HOLDFAST_COMMAND") or shutil.which("holdfast-cli")
        if not found:
            print("holdfast: this installation has no command; build it with HF_BUILD_CLI=ON", file=sys.stderr)
            return 1
        program = Path(found)

    if os.name == "posix":
        sys.stdout.flush()
        os.execv(program, ["holdfast", *sys.argv[1:]])
    import subprocess

    return subprocess.call([str(program), *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
