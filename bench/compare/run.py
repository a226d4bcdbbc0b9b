"""Runs the scenes of scenes.py in one engine and prints a line of JSON for each scene, step and variant of the engine.

    python bench/compare/run.py ENGINE [SCENE...] [--variant NAME]

ENGINE is holdfast, mujoco or drake; the interpreter must have its package. `bench/compare/table.py` makes a table of the lines.
"""

import argparse
import json
import sys
from functools import partial

from engines import ENGINES
from scenes import SCENES


def make_world(engine, options, text, step):
    return engine(text, step, options)


def measure(function, make, step):
    """The numbers of a scene; a world that an engine gives up is a result, too."""
    try:
        return function(make) if step is None else function(make, step)
    except (RuntimeError, ValueError, ArithmeticError) as problem:
        return {"failed": str(problem).splitlines()[0][:200]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", choices=ENGINES)
    parser.add_argument("scene", nargs="*", help="names of scenes; all without")
    parser.add_argument("--variant", help="a variant of the engine; all without")
    arguments = parser.parse_args()
    known = [name for name, _, _ in SCENES]
    for name in arguments.scene:
        if name not in known:
            parser.error(f"there is no scene {name!r}; the scenes are {', '.join(known)}")
    engine = ENGINES[arguments.engine]
    for variant, options in engine.variants.items():
        if arguments.variant not in (None, variant):
            continue
        for name, function, steps in SCENES:
            if arguments.scene and name not in arguments.scene:
                continue
            for step in steps:
                numbers = measure(function, partial(make_world, engine, options), step)
                print(json.dumps({"engine": arguments.engine, "version": engine.version(), "variant": variant, "scene": name, "step": step,
                                  "numbers": numbers}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
