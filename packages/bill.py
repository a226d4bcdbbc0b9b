#!/usr/bin/env python3
"""What a release contains of other projects, and under which terms.

    bill.py wheel FILE.whl     adds to a wheel the licences of the libraries inside and a bill of materials
    bill.py release FOLDER     writes holdfast-VERSION.cdx.json, the bill of materials of a release

The bill is CycloneDX 1.5 in JSON. Packages of the page come from viewer/package-lock.json, libraries from Debian's list of installed
packages: their versions, and their licences from /usr/share/doc/PACKAGE/copyright. A library without a licence is refused.
"""

import hashlib
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# What the library and the command link, by the name of Debian's development package. A wheel has the same, but for zlib, which is part of
# every system that a wheel of this kind installs on.
LINKED = ("libexpat1-dev", "libqhull-dev", "libjansson-dev", "libwebsockets-dev", "libcap-dev", "zlib1g-dev")


def version_of_project():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(holdfast VERSION ([\d.]+)", text)[1]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def debian_version(package):
    return run("dpkg-query", "-W", "-f", "${Version}", package).strip()


def debian_licence(package):
    file = Path("/usr/share/doc", package, "copyright")
    if not file.exists():
        raise SystemExit(f"bill.py: {package} has no licence in {file}")
    return file.read_text(errors="replace")


def owner_of_library(name):
    """The Debian package of a shared library inside a wheel; auditwheel puts a hash into its name."""
    plain = re.sub(r"-[0-9a-f]{8}(?=\.so)", "", name)
    found = subprocess.run(["dpkg", "-S", f"*/{plain}"], capture_output=True, text=True).stdout
    if not found:
        raise SystemExit(f"bill.py: no Debian package has {plain}")
    return found.split(":")[0]


# ---- the bill ----------------------------------------------------------------------------------------


def page_components():
    """The packages that are bundled into the page: those of the lock file that are not for development only."""
    lock = json.loads((ROOT / "viewer/package-lock.json").read_text())
    for folder, entry in lock["packages"].items():
        if not folder or entry.get("dev"):
            continue
        name = folder.removeprefix("node_modules/")
        yield {"type": "library", "name": name, "version": entry["version"], "purl": f"pkg:npm/{name.replace('@', '%40')}@{entry['version']}",
               "licenses": [{"license": {"id": entry["license"]}}], "description": "in the page of reports and of the live view"}


def debian_component(package, description):
    version = debian_version(package)
    return {"type": "library", "name": package, "version": version, "purl": f"pkg:deb/debian/{package}@{version}",
            "licenses": [{"license": {"name": f"/usr/share/doc/{package}/copyright"}}], "description": description}


def installed(package):
    return subprocess.run(["dpkg-query", "-W", package], capture_output=True).returncode == 0


def bill(components, files=()):
    version = version_of_project()
    subject = {"type": "application", "name": "holdfast", "version": version, "licenses": [{"license": {"id": "MIT"}}], "bom-ref": "holdfast"}
    parts = [{"type": "file", "name": file.name, "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(file.read_bytes()).hexdigest()}]} for file in files]
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": {"component": subject},
            "components": sorted(components, key=lambda c: c["name"]) + parts}


def write(path, content):
    path.write_text(json.dumps(content, indent=1) + "\n")


# ---- a wheel -----------------------------------------------------------------------------------------


def complete_wheel(wheel):
    """Adds licences (holdfast/licenses) and the bill (PEP 770: dist-info/sboms) to a wheel, and packs it again under the same name."""
    with tempfile.TemporaryDirectory() as work:
        run(sys.executable, "-m", "wheel", "unpack", "--dest", work, str(wheel))
        folder = next(Path(work).iterdir())
        libraries = sorted(p.name for p in folder.glob("*.libs/*"))
        owners = {owner_of_library(name) for name in libraries}
        if not any(name.startswith("libexpat") for name in libraries):
            owners.add("libexpat1-dev")  # linked from the static library

        licences = folder / "holdfast/licenses"
        if not (licences / "holdfast.txt").exists():
            raise SystemExit("bill.py: the wheel lacks the licences of Holdfast and of the page")
        for package in owners:
            (licences / f"{package}.txt").write_text(debian_licence(package))

        bills = next(folder.glob("*.dist-info")) / "sboms"
        bills.mkdir(exist_ok=True)
        components = [debian_component(package, "inside of the wheel") for package in owners]
        if installed("wasi-libc"):
            components.append(debian_component("wasi-libc", "in the wasm core of the page"))
        write(bills / "holdfast.cdx.json", bill([*page_components(), *components]))
        run(sys.executable, "-m", "wheel", "pack", "--dest-dir", str(wheel.parent), str(folder))


# ---- a release ---------------------------------------------------------------------------------------


def bill_of_release(folder):
    files = [file for pattern in ("*.tar.gz", "*.deb", "*.whl") for file in sorted(folder.glob(pattern))]
    components = [debian_component(package, "linked by the library or the command") for package in LINKED if installed(package)]
    if installed("wasi-libc"):
        components.append(debian_component("wasi-libc", "in the wasm core of the page"))
    write(folder / f"holdfast-{version_of_project()}.cdx.json", bill([*page_components(), *components], files))


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "wheel":
        complete_wheel(Path(arguments[1]).resolve())
    elif len(arguments) == 2 and arguments[0] == "release":
        bill_of_release(Path(arguments[1]).resolve())
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
