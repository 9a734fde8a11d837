"""KTUNE_BUILD_BUDGET: what a build has no time for is compiled unmodified, and one line says how to tune it.

usage: budget.py KTCC FOLDER
"""
import os
import re
import subprocess
import sys

import world as worlds


def two_regions():
    """A source with a second region, of another kernel."""
    second = worlds.source(3).split("#define ITEMS 1")[1]
    return worlds.source(2) + second.replace("saxpy", "other")


def main():
    world = worlds.World(sys.argv[2], sys.argv[1])
    cache = os.path.join(world.folder, "cache")
    files = {"k1.cu": worlds.source(1), "k2.cu": two_regions(), "k4.cu": worlds.source(4), "build/build.ninja": "",
             "other/CMakeCache.txt": "# The cache\nKTune_DIR:PATH=/opt/lib/cmake/KTune\n"}
    for name, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(world.folder, name)), exist_ok=True)
        with open(os.path.join(world.folder, name), "w") as out:
            out.write(text)

    def run(command, budget, **more):
        done = subprocess.run(command, cwd=world.folder,
                              env=world.environment(cache, KTUNE_BUILD_BUDGET=budget, **more),
                              capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def build(name, tree, budget, **more):
        return run(world.command(f"{name}.cu", f"{tree}/{name}.o"), budget, **more)

    # Whatever becomes of the first one in a second, it was the budget: the next are left, in one line.
    code, said = build("k1", "build", "1s")
    assert code == 0, said
    code, said = build("k2", "build", "1s")
    assert code == 0 and re.fullmatch(r"ktcc: k2\.cu:\d+: saxpy is left unmodified: KTUNE_BUILD_BUDGET is spent: "
                                      r"by other regions of this build tree; tune the rest with `ktcc tune k2\.cu -- FLAGS` \(and 1 more\)\n", said), said
    plain = worlds.read(os.path.join(world.folder, "build/k2.o"))
    assert plain == b"object\n" + two_regions().encode(), "not as written"
    assert world.counters(cache)["reason:build-budget"] == 2, world.counters(cache)

    # Another tree has its own budget, here none at all, and a target to ask for.
    code, said = build("k4", "other", "0")
    assert code == 0 and f"tune the rest with `cmake --build {world.folder}/other --target ktune`" in said, said
    code, said = build("k4", "other", "0", KTUNE_MODE="require")
    assert code == 102, said

    # What is asked for is tuned, whatever the build had; then the build finds it, and nothing is charged for that.
    code, said = run([world.ktcc, "tune", "k4.cu", "--", "-arch=sm_90"], "0")
    assert code == 0 and "configurations tried in" in said, said
    code, said = build("k4", "build", "1s")
    assert code == 0 and said == "", said
    assert b"ktune_v_" in worlds.read(os.path.join(world.folder, "build/k4.o")), "not specialised"
    print("spent")


main()
