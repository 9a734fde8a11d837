#!/usr/bin/env python3
"""Makes a SYNTHETIC recording out of a real one: the times are invented so that one
configuration is best on the small problem and another on the large one.

  crossed.py RECORDING > OUT
"""
import json
import sys

INVENTED = {  # configuration: (n = 4096, n = 1048576), ns
    "": (4000, 9000), "BLOCK=64 ITEMS=1": (2000, 8800), "BLOCK=512 ITEMS=2": (3800, 6000)}
OTHERS = (3900, 8900)

for line in open(sys.argv[1]):
    row = json.loads(line)
    if "timing" in row:
        ns = INVENTED.get(row["configuration"], OTHERS)[row["problem"] != "n=4096"]
        row["timing"].update(median_ns=ns, mean_ns=ns, min_ns=ns, deviation_ns=ns / 1000)
    print(json.dumps(row))
