#!/usr/bin/env python3
"""second.py LOCK: a SYNTHETIC entry beside the one of LOCK, for an A100 with values of its own."""
import glob
import hashlib
import json
import os
import struct
import sys


sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from entry_text import stable  # noqa: E402

DEVICE = {"vendor": "NVIDIA", "name": "NVIDIA A100-SXM4-80GB", "cc": 80, "multiprocessors": 108,
          "memory_bus_bits": 5120, "l2_bytes": 41943040}


def device_key(device):
    def text(value):
        raw = value.encode()
        return struct.pack("=Q", len(raw)) + raw

    data = text("device") + text("1")
    for name, value in device.items():
        data += text(name) + (text(value) if isinstance(value, str) else struct.pack("=q", value))
    return hashlib.blake2b(data, digest_size=32).hexdigest()


def main():
    (path,) = glob.glob(os.path.join(sys.argv[1], "*", "*.json"))
    entry = json.load(open(path))
    del entry["hash"]
    entry["device"] = DEVICE
    entry["keys"]["device"] = device_key(DEVICE)
    entry["configuration"] = {"VEC": 1, "BLOCK": 512}
    del entry["specialised"]
    for each in entry["problems"]:
        each.pop("variant", None)
    entry["hash"] = hashlib.blake2b((stable(entry) + "\n").encode(), digest_size=32).hexdigest()
    with open(os.path.join(os.path.dirname(path), "NVIDIA_A100-SXM4-80GB-sm_80.json"), "w") as out:
        out.write(stable(entry) + "\n")


if __name__ == "__main__":
    main()
