"""Tables of experiments are CSV that other programs read: every row has as many fields as the first, numbers where numbers belong."""

import csv
import os
import subprocess

COMMAND = os.environ["HOLDFAST_COMMAND"]


def test_tables_have_equal_rows(tmp_path):
    """tamsi-box names curves with commas."""
    subprocess.run([COMMAND, "experiment", "tamsi-box", "--quick", "--out", tmp_path], check=True, capture_output=True)
    tables = sorted(tmp_path.glob("*.csv"))
    assert tables
    names = set()
    for table in tables:
        with open(table, newline="") as file:
            head, *rows = csv.reader(file)
        assert rows and all(len(row) == len(head) for row in rows), table.name
        names |= {row[0] for row in rows}
        for row in rows:
            [float(number) for number in row[1:]]
    assert any("," in name for name in names)
