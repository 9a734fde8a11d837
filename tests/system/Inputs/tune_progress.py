#!/usr/bin/env python3
"""Checks what `ktcc tune` says while it goes on: tune_progress.py events FILE | terminal FILE COLUMNS."""
import json
import re
import sys


def check_events(path):
    with open(path) as file:
        events = [json.loads(line) for line in file]
    names = [event["event"] for event in events]
    assert names[-2:] == ["result", "done"] and set(names[:-2]) == {"progress"}, names
    progress = events[:-2]
    phases = [event["phase"] for event in progress]
    assert list(dict.fromkeys(phases)) == ["prepare", "search", "compare"] and phases == sorted(
        phases, key=["prepare", "search", "compare"].index), phases
    times = [event["at_s"] for event in events]
    assert times == sorted(times), times
    best = [event["speedup"] for event in progress if event["improved"]]
    assert best and best == sorted(best) and len(set(best)) == len(best), best
    assert all("configuration" in event and event["of_bound"] > 0 for event in progress if event["improved"])
    assert all(event["total"] == 11 and event["tried"] <= 11 for event in progress if event["phase"] == "search")
    done, result = events[-1], events[-2]["result"]
    assert (done["instances"], done["tuned"], done["without"]) == (1, 1, 0), done
    ratios = [row["baseline_ns"] / row["tuned_ns"] for row in result["entry"]["problems"]]
    assert abs(done["speedup"] - (ratios[0] * ratios[1]) ** .5) < 1e-6, (done, ratios)


def check_terminal(path, columns):
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    drawn = [line for line in re.split("\r\x1b\\[K", text)[1:] if line.startswith("ktcc: saxpy: ")]
    lines = [line for line in drawn if " left" in line]
    assert lines and all(len(line) < columns for line in lines), [(len(line), line) for line in lines]
    assert any(": preparing" in line for line in lines) and any("comparing the best" in line for line in lines), lines
    assert any(re.search(r"search \d+ of 11, best \d\.\d\dx, \d+% of the bound, \d+ s left", line) for line in lines), lines
    assert any(set(line) & set("▁▂▃▄▅▆▇█") for line in lines) == (columns >= 100), lines
    assert re.search(r"1 region instance: 1 tuned, 0 from earlier, 0 without an entry; 1\.15x on average, \d+\.\d s\r\n$", text), text


if __name__ == "__main__":
    check_events(sys.argv[2]) if sys.argv[1] == "events" else check_terminal(sys.argv[2], int(sys.argv[3]))
