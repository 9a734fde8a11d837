"""How fast configurations of a space are compiled, without a GPU: for script/bench-throughput and tests/gpu/throughput.py."""
import json
import os
import subprocess
import time


def measure(ktcc, path, flags, arch, configurations, compiler="auto", jobs=0):
    """The first instance of the file: its counts and the seconds of each phase. compiler: as KTUNE_COMPILER."""
    environment = dict(os.environ, KTUNE_COMPILER=compiler, **({"KTUNE_JOBS": str(jobs)} if jobs else {}))
    began = time.monotonic()
    done = subprocess.run([ktcc, "space", "--json", "--device", arch, "--compile", str(configurations), path, "--", *flags,
                           "-arch=" + arch], capture_output=True, text=True, check=False, env=environment)
    elapsed = time.monotonic() - began
    if done.returncode != 0:
        raise SystemExit(f"{path}: {done.stderr}")
    found = json.loads(done.stdout)
    instances = [one["compile"] for one in (found if isinstance(found, list) else [found]) if "compile" in one]
    first = instances[0]
    return {"prepare": elapsed - sum(one["original_s"] + one["seconds"] for one in instances),
            "original": first["original_s"], "candidates": first["seconds"], "cpu": first["cpu_s"],
            "compiled": first["compiled"], "modules": first["modules"], "shared": first["shared"],
            "failed": first["failed"], "by": first["compiler"], "code": first.get("original", first.get("why", ""))}
