"""Every link of the pages leads somewhere, their code compiles or runs, their commands work, and the site is built of them."""

import functools
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("experiments/*/README.md"), ROOT / "examples/README.md",
                ROOT / "python/README.md"])
COMMAND = os.environ["HOLDFAST_COMMAND"]


def name_of(page):
    return page.relative_to(ROOT).as_posix()


# ---- links ------------------------------------------------------------------------------------------


def anchors_of(text):
    """Anchors of the headings, as MkDocs and Git hosts make them."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.S), flags=re.M)
    return {re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links(page):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.S)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name_of(page)}: {link}"
        if anchor:
            assert anchor in anchors_of(target.read_text()), f"{name_of(page)}: {link}"


def test_every_page_is_listed():
    listed = (ROOT / "docs/README.md").read_text()
    for page in ROOT.glob("docs/**/*.md"):
        assert page.name == "README.md" or page.relative_to(ROOT / "docs").as_posix() in listed, name_of(page)


# ---- names ------------------------------------------------------------------------------------------

# Names that stand for others.
PLACEHOLDERS = {"hfUpperCamel", "hf_noun_verb", "HF_UPPER", "HFI_UPPER", "hf_model_NAME", "hf_state_NAME", "hf_state_mutable_NAME"}
NAME = r"\b(?:hfi?_[a-z]\w*[a-zA-Z0-9]|hfi?[A-Z]\w+|HFI?_[A-Z]\w*[A-Z0-9])\b"
FOLDERS = "src|include|cli|viewer|python|tests|bench|experiments|models|studies|docs|packages|examples"


@functools.cache
def sources():
    """Every file of the repository, by its path; and all words of its code, comments left out."""
    known = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    if not known:
        pytest.skip("needs the repository's list of files, by git")
    words = set()
    for path in known:
        if Path(path).suffix in {".c", ".h", ".in", ".py", ".ts", ".cmake", ".txt"} and (ROOT / path).is_file():
            words |= set(re.findall(r"\w+", re.sub(r"//[^\n]*", "", (ROOT / path).read_text())))
    folders = {parent.as_posix() for path in known for parent in Path(path).parents}
    return known, folders, words


def exists(path):
    """A path below the root, or the end of one: `sim/step.c` and `step.c` are src/sim/step.c. Words in capitals stand for any name."""
    known, folders, _ = sources()
    return path.rstrip("/") in folders or bool(re.search("NAME|FOLDER|PAPER|FILE", path)) or any(f"/{file}".endswith(f"/{path}") for file in known)


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "CHANGELOG.md"], ids=name_of)
def test_named_code_exists(page):
    """Functions, types, files and folders that a page names between backquotes."""
    quoted = re.findall(r"`([^`\n]+)`", page.read_text())
    paths = [path for text in quoted for path in re.findall(rf"(?<![\w/.-])(?:(?:{FOLDERS})/[\w./-]*|[\w/-]+\.[ch])(?![\w*-])", text)]
    missing = [path for path in paths if not exists(path.rstrip("."))]
    names = {name for text in quoted for name in re.findall(NAME, text)} - PLACEHOLDERS
    missing += sorted(names - sources()[2])
    assert not missing, f"{name_of(page)} names what does not exist: {missing}"


COMMENTED = [path for folder in ("src", "include", "cli", "experiments", "bench", "tests") for path in (ROOT / folder).rglob("*.[ch]")]


def test_comments_name_what_exists():
    """Functions, types, files and pages that comments of the sources point to."""
    missing = []
    for path in COMMENTED:
        for comment in re.findall(r"//(.*)", path.read_text()):
            files = re.findall(r"(?<![\w/.<-])[\w/-]+\.(?:c|h|md)\b", comment)
            missing += [f"{name_of(path)}: {file}" for file in files if file != "version.h" and not exists(file)]
            missing += [f"{name_of(path)}: {name}" for name in set(re.findall(NAME, comment)) - PLACEHOLDERS - sources()[2]]
    assert not missing, "comments name what does not exist:\n" + "\n".join(missing)


def test_build_options_are_documented():
    build = "".join(file.read_text() for file in [ROOT / "CMakeLists.txt", *ROOT.glob("cmake/*.cmake")])
    page = (ROOT / "docs/guide/install.md").read_text()
    options = re.findall(r"option\((HF_\w+)", build)
    assert options and not [name for name in options if f"`{name}`" not in page]


# ---- code -------------------------------------------------------------------------------------------


def blocks_of(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), flags=re.M | re.S)


# What the fragments of a page take for given, beside what they declare themselves.
GIVEN = {
    "docs/guide/batch.md": "hfBatch* batch; const hfModel* model; hfError error; int n, key; uint8_t* mask;",
    "docs/guide/manipulation.md": """const hfModel* model; hfState* state; hfSim* sim; hfInput* input; hfStepReport step; hfError error;
                                     hfPose target, above, grasp; double t, h, width, rate; int left_finger, right_finger, motor; struct mine { int x; } mine;""",
}
FILE_SCOPE = "static double duration; extern hfTaskResult grasp(void* user, double since, int entered);"


@pytest.mark.parametrize("page", [page for page in PAGES if blocks_of(page, "c")], ids=name_of)
def test_c_compiles(page, tmp_path):
    blocks = [re.sub(r"\.\.\.", "{}", block) for block in blocks_of(page, "c")]
    outside = [block for block in blocks if re.match(r"(//.*\n)*(static|#include)", block)]
    inside = "{\n" + "\n".join(block for block in blocks if block not in outside) + "\n}"
    includes = "".join(f"#include <holdfast/{header.name}>\n" for header in sorted((ROOT / "include/holdfast").glob("*.h")))
    given = GIVEN.get(name_of(page), "")
    used = FILE_SCOPE if any("hfTaskResult" in block for block in outside) else ""
    source = tmp_path / "page.c"
    source.write_text(f"{includes}#include <stdio.h>\n{used}\n" + "\n".join(outside) + f"\nvoid page(void) {{ {given} {inside} }}\n")
    flags = ["-std=c17", "-fsyntax-only", "-Wall", "-Werror", "-Wno-unused", "-Wno-uninitialized", "-Wno-maybe-uninitialized"]
    folders = [f"-I{ROOT / 'include'}", f"-I{Path(os.environ['HF_BUILD_DIR']) / 'include'}"]
    done = subprocess.run(["cc", *flags, *folders, source], capture_output=True, text=True)
    assert done.returncode == 0, f"{name_of(page)}:\n{done.stderr}"


def test_c_handles_refusals(tmp_path):
    """What the guide shows of builders in C, as a program: files and geoms that are missing are refusals with a message, and nothing else."""
    build = Path(os.environ["HF_BUILD_DIR"])
    if not (build / "libholdfast.so").exists() or "asan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("needs libholdfast.so without sanitizers")
    (block,) = blocks_of(ROOT / "docs/guide/from-mujoco.md", "c")
    (tmp_path / "page.c").write_text(f"""#include <holdfast/holdfast.h>
#include <stdio.h>
{block}
int main(void) {{
  hfModel* model;
  hfError error;
  hfStatus status = make_model(&model, &error);
  if (status < 0) return printf("%s\\n", error.message), model ? 2 : 1;
  printf("%d bodies, friction %g\\n", model->nbody, hf_model_geom_friction(model)[0]);
  hf_model_free(model);
}}
""")
    folders = [f"-I{ROOT / 'include'}", f"-I{build / 'include'}", f"-L{build}", f"-Wl,-rpath,{build}"]
    subprocess.run(["cc", "-std=c17", "-Wall", "-Werror", tmp_path / "page.c", *folders, "-lholdfast", "-o", tmp_path / "page"], check=True)
    table = "<mujoco><worldbody><geom name='top' type='box' size='1 1 .1'/></worldbody></mujoco>"
    files = {"table.xml": table.replace("top", "bottom"), "arm.urdf": "<robot name='arm'><link name='base'/></robot>"}
    for given, expected in (({}, "table.xml"), (files, 'table.xml has no geom "top"'), ({"table.xml": table}, "2 bodies, friction 0.4")):
        for name, text in given.items():
            (tmp_path / name).write_text(text)
        done = subprocess.run([tmp_path / "page"], cwd=tmp_path, capture_output=True, text=True)
        assert expected in done.stdout and done.returncode == (0 if "bodies" in expected else 1), done
        assert (tmp_path / "table_with_arm.xml").exists() == ("bodies" in expected)


# A scene that has what the fragments of Python speak of.
SCENE = """<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/>
<body name='mug' pos='0 0 .1'><freejoint/><geom size='.1' mass='.2'/></body>
<body name='left_finger' pos='0 1 .1'><joint name='elbow' axis='0 1 0'/><geom size='.1'/></body></worldbody>
<actuator><motor name='grip' joint='elbow'/></actuator><keyframe><key name='grasp'/></keyframe></mujoco>"""


PRINTED = r"^( *)(print\(.*\)) +# "  # a line that prints, up to its comment
VALUE = r"True|False|None|[-(\[]*\d"  # how a comment begins that promises an output


def with_promises(program):
    """The program, which now prints the comment behind each output that has one, between marks."""
    return re.sub(PRINTED + "(.+)$", lambda m: f"{m[1]}print('\\x1e', end=''); {m[2]}; print('\\x1f' + {m[3]!r} + '\\x1e')", program, flags=re.M)


def broken_promises(output):
    """Outputs that differ from the values with which their comments begin, and the number of such comments."""
    pairs = [(printed.strip(), comment) for printed, comment in re.findall("\x1e([^\x1e\x1f]*)\x1f([^\x1e]*)\x1e", output) if re.match(VALUE, comment)]
    return [f"prints {printed!r}, promises {comment!r}" for printed, comment in pairs if not re.match(rf"{re.escape(printed)}(?!\w|\.\d)", comment)], len(pairs)


def test_broken_promises_are_found():
    program = with_promises("print(1 > 2)  # True: it holds\nprint((3, 4))  # (3, 4) bytes\nif True:\n    print(1)  # 1.5 m\nprint(0.25)  # [m]\nprint(2)\n")
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert broken_promises(output) == (["prints 'False', promises 'True: it holds'", "prints '1', promises '1.5 m'"], 3)


PYTHON_PAGES = [ROOT / name for name in ("README.md", "docs/guide/python.md", "docs/guide/gymnasium.md", "python/README.md")]


@pytest.mark.parametrize("page", PYTHON_PAGES, ids=name_of)
def test_python_runs(page, tmp_path, monkeypatch):
    """All fragments of a page, one after the other, in one interpreter. They print what their comments promise, in a
    folder without Holdfast's sources."""
    monkeypatch.chdir(tmp_path)
    Path("scene.xml").write_text(SCENE)
    fragments = [code for code in blocks_of(page, "python") if importlib.util.find_spec("gymnasium") or "gymnasium" not in code]
    program = "\n".join(fragments).replace('render_mode="rgb_array"', "render_mode=None")  # pictures need a browser
    done = subprocess.run([sys.executable, "-c", with_promises(program)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{name_of(page)}:\n{done.stderr}"
    broken, count = broken_promises(done.stdout)
    assert not broken, f"{name_of(page)}:\n" + "\n".join(broken)
    assert count == len(re.findall(f"{PRINTED}(?:{VALUE})", program, flags=re.M))


# ---- commands ---------------------------------------------------------------------------------------

# Verbs that this test does not run, with the test that does or the reason.
ELSEWHERE = {
    "view": "starts a server: view/browser",
    "render": "needs a browser: view/browser",
    "experiment": "takes minutes: experiments/*",
    "study": "python/study*",
    "bench": "measures for minutes",
    "VERB": "stands for a verb",
}


def commands_of(page):
    """Indented lines that call the command, without what explains them behind two blanks."""
    for line in re.findall(r"^    holdfast (.+)$", page.read_text(), flags=re.M):
        yield re.split(r"  +", line)[0]


RUN = [(page, command) for page in PAGES for command in commands_of(page) if command.split()[0] not in ELSEWHERE and page.name != "ros.md"]


@pytest.mark.parametrize("page, command", RUN, ids=[f"{name_of(page)}-{command.split()[0]}-{i}" for i, (page, command) in enumerate(RUN)])
def test_command_runs(page, command, tmp_path):
    shutil.copytree(ROOT / "models", tmp_path / "models")
    (tmp_path / "scene.xml").write_text(SCENE)
    (tmp_path / "robot.urdf").write_text("""<robot name='r'><link name='a'/><joint name='x' type='continuous'><parent link='a'/><child link='b'/></joint>
<joint name='y' type='continuous'><parent link='b'/><child link='c'/></joint>""" + "".join(
        f"<link name='{n}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>" for n in "bc") + "</robot>")
    done = subprocess.run(f"{COMMAND} {command}", shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{name_of(page)}: holdfast {command}\n{done.stderr}"


def test_results_are_documented():
    """The reference of the command has every name of the results that `run --json` prints, and of the contacts in them."""
    run = [COMMAND, "run", ROOT / "models/pinch.xml", "--keyframe", "soft", "--time", "0.1", "--json"]
    result = json.loads(subprocess.run(run, capture_output=True, text=True, check=True).stdout)
    page = (ROOT / "docs/reference/command.md").read_text()
    assert result["final"]["contacts"]
    for name in (*result, *result["final"], *result["final"]["contacts"][0], *result["final"]["pairs"][0]):
        assert f"`{name}`" in page, name


# ---- the site ---------------------------------------------------------------------------------------


def test_site_is_built(tmp_path):
    """MkDocs in its strict form refuses links that lead nowhere."""
    if not importlib.util.find_spec("material"):
        pytest.skip("needs the packages of packages/site.txt")
    done = subprocess.run([ROOT / "docs/site/build", tmp_path], capture_output=True, text=True, env={**os.environ, "PYTHON": sys.executable})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "hf_sim_step" in (tmp_path / "api/sim.html").read_text()
    assert (tmp_path / "docs/theory/tamsi.html").exists()
