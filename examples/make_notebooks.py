"""Writes a notebook for every example: cells are split at `# %%`, text at `# %% [markdown]`.

    python examples/make_notebooks.py           writes examples/notebooks/*.ipynb
    python examples/make_notebooks.py --check   says whether they are up to date
"""

import json
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def cell(kind: str, lines: list[str], number: int) -> dict:
    text = "\n".join(lines).strip("\n")
    if kind == "markdown":
        text = "\n".join(line.removeprefix("# ").removeprefix("#") for line in text.splitlines())
    body = {"cell_type": kind, "id": f"cell{number}", "metadata": {}, "source": [line + "\n" for line in text.splitlines()]}
    return body | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def notebook(path: Path) -> str:
    source = path.read_text().splitlines()
    title = source[0].strip('"')
    cells, kind, lines = [cell("markdown", [f"# # {title}"], 0)], "code", []
    for line in source[1:] + ["# %%"]:
        if line.startswith("# %%"):
            if any(part.strip() for part in lines):
                cells.append(cell(kind, lines, len(cells)))
            kind, lines = "markdown" if "[markdown]" in line else "code", []
        else:
            lines.append(line)
    meta = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}
    return json.dumps({"cells": cells, "metadata": meta, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def main() -> int:
    stale = 0
    (FOLDER / "notebooks").mkdir(exist_ok=True)
    for path in sorted(FOLDER.glob("*.py")):
        if path.name in ("make_notebooks.py", "ppo_pinch.py"):
            continue
        target, text = FOLDER / "notebooks" / (path.stem + ".ipynb"), notebook(path)
        if target.exists() and target.read_text() == text:
            continue
        stale += 1
        if "--check" in sys.argv:
            print(f"{target.name} is not up to date: run examples/make_notebooks.py")
        else:
            target.write_text(text)
    return stale if "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
