"""Lock entries as text: the stable form of docs/store.md, the hash, and a generator's template to put into one."""
import hashlib
import json
import os
import struct

TEMPLATE = {
    "generator": "llm", "rationale": "one block a piece", "strategies": [{"name": "block", "reason": "one launch"}],
    "parameters": [{"name": "BLOCK", "values": [64, 128, 256, 512], "original": 128, "meaning": "threads of a block"},
                   {"name": "ITEMS", "values": [1, 2, 4], "original": 1, "meaning": "elements of a thread"}],
    "restrictions": [{"text": "BLOCK * ITEMS <= 1024", "reason": "the clause of the source"}], "guards": [],
    "grid": ["ceil_div(n, BLOCK * ITEMS)"], "block": ["BLOCK"], "shared_bytes": "0", "concrete": True, "helpers": [],
    "head": ["__global__ void saxpy(float *y, const float *x, float a, int n)"], "body": ["{", "\t// ${BLOCK}", "}"]}


def stable(value, depth=0):
    """The stable form of docs/store.md, as far as entries need it."""
    pad, inner = "  " * depth, "  " * (depth + 1)
    if isinstance(value, dict) and value:
        rows = [f"{inner}{json.dumps(key, ensure_ascii=False)}: {stable(item, depth + 1)}"
                for key, item in value.items()]
        return "{\n" + ",\n".join(rows) + f"\n{pad}}}"
    if isinstance(value, list) and (any(isinstance(item, (dict, list)) for item in value) or
                                    sum(isinstance(item, str) for item in value) > 1):
        return "[\n" + ",\n".join(inner + stable(item, depth + 1) for item in value) + f"\n{pad}]"
    if isinstance(value, list):
        return "[" + ", ".join(stable(item) for item in value) + "]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)


def rehashed(entry):
    entry = {key: value for key, value in entry.items() if key != "hash"}
    entry["hash"] = hashlib.blake2b((stable(entry) + "\n").encode(), digest_size=32).hexdigest()
    return entry


def whole(path):
    """An entry of a lock directory with the text that is in a file beside it."""
    with open(path) as file:
        entry = json.load(file)
    template = entry.get("template", {})
    if "text" not in template:
        return entry
    with open(os.path.join(os.path.dirname(path), f"variant-{template.pop('text')[:16]}.cuh")) as file:
        parts = file.read().split("// part: ")[1:]
    behind = {name: template.pop(name) for name in ("further", "temporaries") if name in template}
    for part in parts:
        title, *lines = part.split("\n")[:-1]
        name, _, kernel = title.partition(" ")
        (behind["further"][int(kernel) - 1] if kernel else template)[name] = lines
    template.update(behind)
    return entry


def edited(entry, change):
    copy = json.loads(json.dumps(entry))
    change(copy)
    return copy


def device_key(device):
    """The hash of what makes a device, as ktcc/base/device.c has it."""
    def text(value):
        raw = value.encode()
        return struct.pack("=Q", len(raw)) + raw

    data = text("device") + text("1")
    for name, value in device.items():
        data += text(name) + (text(value) if isinstance(value, str) else struct.pack("=q", value))
    return hashlib.blake2b(data, digest_size=32).hexdigest()
