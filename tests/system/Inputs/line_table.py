"""Prints the files and lines that the device code of an object names, for each kernel: from -lineinfo.

usage: line_table.py OBJECT

Reads the cubins that stand uncompressed in the object (-no-compress) with readelf. A variant's rows are printed as the
kernel's own.
"""
import os
import re
import struct
import subprocess
import sys
import tempfile

MACHINE_CUDA = 190


def cubins(data):
    at = data.find(b"\x7fELF", 1)
    while at >= 0:
        if struct.unpack_from("<H", data, at + 18)[0] == MACHINE_CUDA:
            yield data[at:]
        at = data.find(b"\x7fELF", at + 1)


with open(sys.argv[1], "rb") as file:
    text = file.read()
for cubin in cubins(text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cubin")
        with open(path, "wb") as file:
            file.write(cubin)
        rows = subprocess.run(["readelf", "--wide", "--debug-dump=decodedline", path], capture_output=True,
                              text=True).stdout
    lines = sorted(set(re.findall(r"^(\S+\.(?:cu|h)) +(\d+) +(?:0x)?[0-9a-f]+ ", rows, re.MULTILINE)))
    print("\n".join(" ".join(line) for line in lines))
