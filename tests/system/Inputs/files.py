"""files.py FOLDER KIND: writes the NumPy files of files.cl, as numpy.save does. Kinds: right, or what is wrong with begin.npy."""
import os
import struct
import sys


def save(path, descr, shape, data):
    header = "{'descr': %r, 'fortran_order': False, 'shape': (%s,), }" % (descr, shape)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def main(folder, kind):
    os.makedirs(folder, exist_ok=True)
    begin = [3 * row for row in range(513)]
    path = os.path.join(folder, "begin.npy")
    save(path, "<i4", 513, struct.pack("<513i", *begin))
    save(os.path.join(folder, "column.npy"), "<i4", 1536,
         struct.pack("<1536i", *(k * 5 % 510 if kind != "other" else k * 10 % 510 for k in range(1536))))
    if kind == "absent":
        os.remove(path)
    elif kind == "short":
        save(path, "<i4", 512, struct.pack("<512i", *begin[:512]))
    elif kind == "wide":
        save(path, "<i8", 513, struct.pack("<513q", *begin))
    elif kind == "cut":
        os.truncate(path, 1000)
    elif kind == "pipe":
        os.remove(path)
        os.mkfifo(path)
    elif kind == "object":
        save(path, "|O", 1, b"\x80\x04K\x01.")


main(*sys.argv[1:])
