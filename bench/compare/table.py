"""Makes Markdown tables of the lines that run.py printed: one table a scene, one row for each step, engine and variant.

    python3 bench/compare/table.py FILE.jsonl...
"""

import json
import sys


def show(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    if abs(value) < 1e-6:
        return "< 1e-6"
    return f"{value:.3g}" if abs(value) < 1e5 else f"{value:.1e}"


def row_of(line):
    step = "" if line["step"] is None else f"{1e3 * line['step']:g}"
    return [step, f"{line['engine']} {line['version']}, {line['variant']}"]


def table(lines):
    names = list(dict.fromkeys(name for line in lines for name in line["numbers"] if name != "failed"))
    out = ["| step [ms] | engine | " + " | ".join(names) + " |", "|---" * (2 + len(names)) + "|"]
    for line in lines:
        numbers = line["numbers"]
        cells = ["failed"] * len(names) if "failed" in numbers else [show(numbers[n]) if n in numbers else "" for n in names]
        out.append("| " + " | ".join(row_of(line) + cells) + " |")
    return "\n".join(out)


def main(paths):
    lines = [json.loads(text) for path in paths for text in open(path, encoding="utf-8")]
    for scene in dict.fromkeys(line["scene"] for line in lines):
        chosen = [line for line in lines if line["scene"] == scene]
        print(f"### {scene}\n\n{table(sorted(chosen, key=lambda line: line['step'] or 0))}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
