"""Puts together what the documentation site is built from: the pages as they lie in the project, so that their links hold, a page
for every public header, and the order of the pages, which is that of docs/README.md.

Usage: stage.py PROJECT FOLDER
"""

import posixpath
import re
import shutil
import sys
from pathlib import Path

import headers  # beside this file

# Folders and files whose pages, pictures and sources the pages refer to.
STAGED = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff", "LICENSE", "docs", "examples", "experiments", "models", "studies",
          "python/README.md"]
LEFT_OUT = shutil.ignore_patterns("site", "build", "__pycache__", "*.c", "*.h")

CONFIG = """site_name: Holdfast
site_description: Simulation of robots that grip
docs_dir: pages
use_directory_urls: false
theme:
  name: material
  font: false
  features: [navigation.sections, navigation.top, search.highlight, search.suggest, content.code.copy]
  palette:
    - media: "(prefers-color-scheme: light)"
      scheme: default
      toggle: {icon: material/weather-night, name: Dark}
    - media: "(prefers-color-scheme: dark)"
      scheme: slate
      toggle: {icon: material/weather-sunny, name: Light}
plugins: [search, offline]
markdown_extensions: [tables, attr_list, toc: {permalink: true}]
validation: {links: {absolute_links: warn, unrecognized_links: ignore}, nav: {omitted_files: ignore}}
nav:
"""


def stage_pages(root, pages):
    for name in STAGED:
        source, target = root / name, pages / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=LEFT_OUT)
        elif source.exists():
            shutil.copy(source, target)


def stage_headers(root, pages):
    """A page for each header; returns [(title, path)]."""
    folder = pages / "api"
    folder.mkdir()
    listed = []
    for header in sorted((root / "include/holdfast").glob("*.h")):
        page = folder / f"{header.stem}.md"
        page.write_text(headers.page_of(header))
        listed.append((f"holdfast/{header.name}", f"api/{page.name}"))
    return listed


def navigation(root, api):
    """Sections and links of docs/README.md, in their order, then the headers."""
    sections = []
    for line in (root / "docs/README.md").read_text().splitlines():
        if line.startswith("## "):
            sections.append((line[3:].split(":")[0], []))
        elif sections:
            sections[-1][1].extend(re.findall(r"\[([^\]]+)\]\(([^)#]+\.md)\)", line))
    lines = ["  - Holdfast: README.md"]
    for title, links in sections:
        lines += [f"  - {title!r}:"] * bool(links)
        lines += [f"      - {name.replace('`', '')!r}: {posixpath.normpath('docs/' + path)}" for name, path in links]
    lines.append("  - 'Headers':")
    lines += [f"      - {title!r}: {path}" for title, path in api]
    lines.append("  - Changes: CHANGELOG.md")
    return "\n".join(lines) + "\n"


def main(root, folder):
    pages = folder / "pages"
    stage_pages(root, pages)
    api = stage_headers(root, pages)
    (folder / "mkdocs.yml").write_text(CONFIG + navigation(root, api))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
