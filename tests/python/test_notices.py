"""Who gives away a copy of another project's work gives its licence with it: the page, a report, a bill of materials. The oracle is the lock
file of the page and the packages as npm unpacked them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

BUILD = Path(os.environ.get("HF_BUILD_DIR", ROOT / "build/release"))
PAGE = BUILD / "viewer/page.html"
COMMAND = os.environ.get("HOLDFAST_COMMAND", "holdfast")

needs_page = pytest.mark.skipif(not PAGE.exists() or PAGE.stat().st_size == 0, reason="the page was left out of this build")


def locked_packages():
    """The packages that may be in the page, by name: their version. The others of the lock file are tools."""
    lock = json.loads((ROOT / "viewer/package-lock.json").read_text())["packages"]
    return {name.removeprefix("node_modules/"): entry["version"] for name, entry in lock.items() if name and not entry.get("dev")}


def flat(text):
    return re.sub(r"\s+", " ", text)


def licence_of(package):
    folder = BUILD / "viewer/node/node_modules" / package
    return next(f for f in folder.iterdir() if f.name.upper().startswith("LICENSE")).read_text()


def notices(page):
    return re.search(r'id="notices">(.*?)</script>', page, re.S)[1]


def assert_all_notices(text):
    text = flat(text)
    assert flat((ROOT / "LICENSE").read_text()) in text
    for package, version in locked_packages().items():
        assert f"{package} {version}" in text
        assert flat(licence_of(package)).strip() in text


@needs_page
def test_the_page_has_the_licence_of_each_package_in_it():
    assert len(locked_packages()) >= 2  # three.js and uPlot; an empty list would prove nothing
    assert_all_notices(notices(PAGE.read_text()))


@needs_page
def test_a_report_has_them_too(tmp_path):
    report = tmp_path / "report.html"
    subprocess.run([COMMAND, "run", str(ROOT / "models/pinch.xml"), "--time", "0.01", "--report", str(report)], check=True, capture_output=True)
    assert_all_notices(notices(report.read_text()))


@needs_page
def test_the_wasm_core_has_the_licence_of_its_c_library():
    page = PAGE.read_text()
    has_core = bool(re.search(r'id="core">\s*[A-Za-z0-9+/]', page))
    if not has_core or not Path("/usr/share/doc/wasi-libc/copyright").exists():
        pytest.skip("no wasm core in this page")
    assert "Rich Felker" in notices(page)


def test_the_bill_of_materials_lists_what_the_lock_file_lists(tmp_path):
    (tmp_path / "holdfast.tar.gz").write_bytes(b"content")
    done = subprocess.run([sys.executable, ROOT / "packages/bill.py", "release", tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    bill = json.loads(next(tmp_path.glob("*.cdx.json")).read_text())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    listed = {c["name"]: c.get("version") for c in bill["components"]}
    assert locked_packages().items() <= listed.items()
    linked = {name for name in listed if name.endswith("-dev")}
    assert {"libqhull-dev", "libjansson-dev", "libexpat1-dev"} <= linked
    assert any(c["type"] == "file" and c["hashes"] for c in bill["components"])
