"""What `ktcc tune --json` (FILE) told of plain kernels: everything was tried, nothing was wrong."""
import json
import sys

cases = {case["region"]: case for case in json.load(open(sys.argv[1]))}
stays = cases.pop("places")
assert not stays["tuned"] and stays["reason"] == "no-strategy", stays
assert len(cases) == 9, list(cases)
for name, case in cases.items():
    assert case["tuned"] and case["tried"] >= 2 and case["wrong"] == 0 and case["uncompiled"] == 0, case
