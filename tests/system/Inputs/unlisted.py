"""unlisted.py ENTRY: what was tuned for sizes that are multiples of 64 runs on all others too."""
import glob
import json
import sys

entry = json.load(open(glob.glob(sys.argv[1])[0]))
sizes = entry["unlisted"]
listed = [each["problem"]["n"] for each in entry["problems"]]
assert not entry["baseline_best"] and entry["configuration"]["EVEN"] == 0, entry["configuration"]
assert len(sizes) >= 8, sizes
values = [each["problem"]["n"] for each in sizes]
assert len(set(values)) == len(values) and not set(values) & set(listed), values
for has in (lambda n: n == 1, lambda n: n % 2 == 1 and n > 1, lambda n: n % 4 == 2, lambda n: n > max(listed)):
    assert any(map(has, values)), values
# Wherever the guards of a special one turn the size away the general one runs.
assert all(each.get("variant", 0) >= 0 for each in sizes), sizes
for each in sizes:
    special = each.get("variant", 0)
    if special:
        assert entry["specialised"][special - 1]["configuration"]["EVEN"] == 0 or each["problem"]["n"] % 64 == 0, each
gain = 1.0
for each in sizes:
    gain *= (each["baseline_ns"] / each["tuned_ns"]) ** (1 / len(sizes))
print(f"gain {gain:.2f} on {sorted(values)}")
assert gain > 1.5, sizes
