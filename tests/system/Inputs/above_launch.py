"""above_launch.py KTCC FILE FOLDER: kernels whose pragma is above a launch are tuned and dispatched like others."""
import glob
import os
import re
import shutil
import subprocess
import sys

ktcc, source, folder = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(f"{folder}/lock")
environment = dict(os.environ, KTUNE_CACHE_DIR=f"{folder}/cache", KTUNE_LOCK_DIR=f"{folder}/lock", KTUNE_SANITIZE="off",
                   KTUNE_RUNNER_LAUNCHER=f"{sys.executable} {here}/pretend.py {folder} cuda=1 ahead=VEC")
done = subprocess.run([ktcc, "tune", "--budget", "16n,120s", source, "--", "-arch=sm_90"], env=environment, capture_output=True,
                      text=True)
assert done.returncode == 0, done.stderr
assert len(glob.glob(f"{folder}/lock/*/*.json")) == 2, done.stdout
built = subprocess.run([ktcc, "nvcc", "-arch=sm_90", "-c", source, "-o", f"{folder}/object.o"], capture_output=True, text=True,
                       env=dict(os.environ, KTUNE_MODE="require", KTUNE_CACHE_DIR=f"{folder}/empty", KTUNE_LOCK_DIR=f"{folder}/lock"))
assert built.returncode == 0 and built.stderr == "", built.stderr
with open(f"{folder}/object.o", "rb") as file:
    text = file.read()
for kernel in (b"add", b"scale"):
    assert re.search(rb"ktune_v_\w*" + kernel, text), kernel
