"""What was measured survives changes that do not affect it, through the whole loop.

usage: values.py KTCC FOLDER
"""
import json
import os
import subprocess
import sys

import world as worlds


def main():
    world = worlds.World(sys.argv[2], sys.argv[1])
    cache, path = os.path.join(world.folder, "cache"), os.path.join(world.folder, "k.cu")

    winners = []

    def tune(text):
        with open(path, "w") as out:
            out.write(text)
        done = subprocess.run([world.ktcc, "tune", "--json", path, "--", "-arch=sm_90"], env=world.environment(cache),
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        answer = json.loads(done.stdout)[0]
        winners.append(answer["entry"]["configuration"])
        return answer["tried"], answer["recalled"]

    few = worlds.source(1, "64, 128")
    first = tune(few)
    assert first == (6, 0), first
    # A value more: what was measured is there, the rest is measured.
    more = worlds.source(1)
    assert tune(more) == (11, 6), "adding a value lost measurements"
    # A value less, and a comment, measure nothing.
    assert tune(worlds.source(1, "64, 256, 512") + "// a remark\n") == (8, 8), "removing a value lost measurements"
    # A condition over parameters says what is legal, not how fast it is; one over a problem is a guard.
    legal = more.replace("restriction(", "restriction(BLOCK * ITEMS >= 128) restriction(")
    assert tune(legal) == (10, 10), "a restriction over parameters lost measurements"
    guarded = more.replace("restriction(", "restriction(n >= BLOCK) restriction(")
    assert tune(guarded) == (11, 0), "a guard that is new was not measured with"
    assert winners[1:] == [{"BLOCK": 256, "ITEMS": 1}] * len(winners[1:]), \
        f"what was remembered lost to the original: {winners}"
    assert tune(worlds.source(2)) == (11, 0), "another kernel got these measurements"
    print("kept")


main()
