#!/usr/bin/env python3
"""Is every variant that host code names in the device code of every architecture? variants_present.py OBJECT...

An object of nvcc --no-compress, which the linker has not seen. Host code that names a kernel compiles whether or not a
pass for the device instantiated it; the launch then fails with cudaErrorInvalidDeviceFunction. Names, in lines of their
own, what is missing where; ends with 1 then, and where there is nothing to compare.
"""
import re
import struct
import subprocess
import sys

VARIANT = re.compile(r"(?<!\w)ktune_v_\w+")
CODE = (".nv_fatbin", "__nv_relfatbin")
SECTION = struct.Struct("<IIQQQQIIQQ")


def sections(image):
    """(name, bytes) of each section of an ELF64 file."""
    start, = struct.unpack_from("<Q", image, 40)
    count, names = struct.unpack_from("<HH", image, 60)
    rows = [SECTION.unpack_from(image, start + i * SECTION.size) for i in range(count)]
    table = rows[names][4]
    for name, kind, _, _, offset, size, *_ in rows:
        text = image[table + name:image.index(b"\0", table + name)].decode()
        yield text, b"" if kind == 8 else image[offset:offset + size]


def external(symbol):
    """A kernel's symbol without what relocatable device code puts before those of internal linkage: the unit's name."""
    unit = re.match(r"__nv_static_(\d+)_", symbol)
    return symbol[unit.end() + int(unit.group(1)) + 1:] if unit else symbol


def variants(symbols):
    symbols = map(external, symbols)
    plain = subprocess.run(["c++filt"], input="\n".join(symbols), capture_output=True, text=True, check=True).stdout
    # ktune_v_…_f0 is a function that a variant calls: it has no entry.
    return {name for line in plain.splitlines() for name in VARIANT.findall(line) if not re.search(r"_f\d+$", name)}


def images(code):
    """(what, symbols of entries) of each cubin and PTX text in a fat binary that is not compressed."""
    for at in (match.start() for match in re.finditer(b"\x7fELF\x02", code)):
        if struct.unpack_from("<H", code, at + 18)[0] == 190:
            names = [name for name, _ in sections(code[at:])]
            yield "a cubin", [name[len(".text."):] for name in names if name.startswith(".text.")]
    for text in re.findall(rb"\.version [0-9][^\0]*", code):
        target = re.search(rb"\.target (\w+)", text)
        if target:
            yield "PTX for " + target.group(1).decode(), [name.decode() for name in re.findall(rb"\.entry (\w+)", text)]


def check(path):
    with open(path, "rb") as file:
        image = file.read()
    listed = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
    named = variants(line.split()[-1] for line in listed.splitlines())
    devices = [one for name, code in sections(image) if name in CODE for one in images(code)]
    if not named or not devices:
        print(f"{path}: {len(named)} variants in host code, {len(devices)} images of device code: nothing to compare")
        return False
    missing = [(name, what) for what, symbols in devices for name in sorted(named - variants(symbols))]
    for name, what in missing:
        print(f"{path}: host code names {name}, which {what} lacks")
    return not missing


sys.exit(0 if all([check(path) for path in sys.argv[1:]]) else 1)
