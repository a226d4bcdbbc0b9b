"""The page docs/papers.md names what exists: every file, function, experiment and line, and every difference has a cause."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT

PAGE = (ROOT / "docs/papers.md").read_text()
COMMAND = os.environ["HOLDFAST_COMMAND"]
FOLDERS = {"tamsi": "tamsi", "feedback": "feedback", "grasp": "grasp", "painleve": "grasp", "stiction": "stiction"}


def cells_of(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def audit_rows():
    audit = PAGE.split("\n## Audit", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in audit.splitlines() if line.startswith("| ")]
    return [cells_of(line) for line in lines if not line.startswith("| equation")]


ROWS = audit_rows()


def name_of(row):
    return re.sub(r"\W+", "-", row[0])[:50]


@pytest.fixture(scope="module")
def experiments():
    listed = subprocess.run([COMMAND, "experiment"], capture_output=True, text=True, check=True).stdout
    return {line.split()[0] for line in listed.splitlines() if line.strip()}


def sources(*folders):
    files = [p for folder in folders for p in (ROOT / folder).rglob("*") if p.suffix in (".c", ".h")]
    return "\n".join(p.read_text() for p in files)


CODE = sources("src", "include", "experiments")


def test_the_audit_is_complete():
    assert len(ROWS) > 40, "the tables of the audit were not found"


def test_files_exist():
    for path in re.findall(r"(?<![\w/])((?:src|include|experiments|tests|docs|models)/[\w./-]*[\w/])", PAGE):
        assert (ROOT / path).exists(), path


def test_functions_exist():
    names = re.findall(r"`((?:hf_|hfi_|HF_|grasp_|arm_|legs_|condition_)\w+)`", PAGE)
    assert len(names) > 10
    for name in names:
        assert re.search(rf"\b{name}\b", CODE), name
    for type_name, field in re.findall(r"`(hf[A-Z]\w+)\.(\w+)`", PAGE):
        assert re.search(rf"\b{type_name}\b", CODE) and re.search(rf"\b{field}\b", CODE), f"{type_name}.{field}"


def test_experiments_exist(experiments):
    for name in re.findall(r"experiments? ((?:`[\w-]+`(?:, | and )?)+)", PAGE) + [row[4] for row in ROWS]:
        for experiment in re.findall(r"`([\w-]+)`", name):
            assert experiment in experiments, experiment


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_row(row):
    """Six cells, none empty; each experiment with lines that are written in its folder; each difference with its cause."""
    assert len(row) == 6 and all(row), row
    where, verdict = row[4], row[5]
    if where != "-" and not where.startswith("tests/"):
        for part in where.split(";"):
            experiment, _, lines = part.strip().partition(", ")
            name = re.fullmatch(r"`([\w-]+)`", experiment)
            assert name and lines, f"`{part.strip()}` names no line"
            text = sources(f"experiments/{FOLDERS[name[1].split('-')[0]]}")
            for line in lines.split(", "):
                assert f'"{line}"' in text, f"{name[1]}: {line}"
    if verdict.startswith("differs"):
        assert re.match(r"differs: .{20}", verdict), f"no cause: {verdict}"
        assert where != "-", "no line judges a difference"
