"""While one process tunes a region another waits for it, or goes on with the original: KTUNE_WAIT says which.

usage: wait.py KTCC FOLDER
"""
import os
import subprocess
import sys
import time

import world as worlds


def main():
    world = worlds.World(sys.argv[2], sys.argv[1])
    cache, plain = os.path.join(world.folder, "cache"), b"object\n" + worlds.source(1).encode()
    with open(os.path.join(world.folder, "k.cu"), "w") as out:
        out.write(worlds.source(1))

    def start(output, **more):
        return subprocess.Popen(world.command("k.cu", output), cwd=world.folder, env=world.environment(cache, **more),
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def result(child, output):
        said = child.communicate(timeout=60)[0]
        assert child.returncode == 0, said
        return said, worlds.read(os.path.join(world.folder, output))

    hold = os.path.join(world.folder, "hold")
    with open(hold, "w"):
        tuner = start("one.o", FAKE_HOLD=hold)
    # It compiles candidates: it has the lease.
    while not (os.path.exists(world.calls) and b"cubin" in worlds.read(world.calls)) and tuner.poll() is None:
        time.sleep(0.01)
    waiting = start("two.o")
    said, data = result(start("three.o", KTUNE_WAIT="0"), "three.o")
    assert data == plain and "another process uses the tuner" in said, said
    os.unlink(hold)
    said, tuned = result(tuner, "one.o")
    assert "configurations tried in" in said and tuned != plain, said
    said, data = result(waiting, "two.o")
    assert said == "" and data == tuned, said
    # What was left unmodified for that reason is looked at again.
    said, data = result(start("three.o", KTUNE_WAIT="0"), "three.o")
    assert said == "" and data == tuned, said
    counters = world.counters(cache)
    assert counters["tuned"] == 1 and counters["reason:busy"] == 1, counters
    print("one tuned")


main()
