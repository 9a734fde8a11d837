"""Units with host code in their headers, for NVRTC: device.py PREFIX TOOLKIT FOLDER [--written] UNIT...

For each unit: does NVRTC compile it as ktcc-clang's "device" gives it? With --written: and as it is written?
"""
import json
import os
import subprocess
import sys

PREFIX, TOOLKIT, FOLDER = sys.argv[1:4]
WRITTEN = "--written" in sys.argv
UNITS = [path for path in sys.argv[4:] if path != "--written"]
PROGRAMS = os.path.join(PREFIX, "libexec", "ktcc")
LIBRARY = os.path.join(TOOLKIT, "lib64", "libnvrtc.so")
INCLUDE = os.path.join(TOOLKIT, "include")


def joined(files, number):
    """The text of one of the files with those that it includes in the place of the directives."""
    with open(files[number]["path"], encoding="utf-8") as file:
        text = file.read()
    for include in reversed(files[number]["includes"]):
        begin, end = include["range"]
        text = text[:begin] + (joined(files, include["file"]) if include["entered"] else "") + text[end:]
    return text


def device_of(path):
    """Its text without host code, and the text that it comes from: of several files where one launches for another."""
    command = [os.path.join(PROGRAMS, "ktcc-clang"), "serve", "--file", path, "--toolkit", TOOLKIT, "--arch", "90", "--",
               "-std=c++17", "-isystem", os.path.dirname(path), "-isystem", os.path.join(INCLUDE, "cccl")]
    done = subprocess.run(command, input='{"verb":"scan"}\n{"verb":"device","region":0,"text":""}\n', capture_output=True,
                          text=True, check=True)
    scan, device = map(json.loads, done.stdout.splitlines())
    return device, joined(scan.get("text") or [{"path": path, "includes": []}], 0)


class Nvrtc:
    def __init__(self):
        self.process = subprocess.Popen([os.path.join(PROGRAMS, "ktcc-nvrtc"), LIBRARY, str(8 << 30)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if "nvrtc" not in json.loads(self.process.stdout.readline()):
            raise RuntimeError("NVRTC cannot be loaded")

    def refusal(self, source, folders):
        request = {"source": source, "name": "k", "cubin": os.path.join(FOLDER, "unit.cubin"), "learns": True,
                   "options": ["-arch=sm_90", "-w", "-std=c++17"] +
                   ["-I" + folder for folder in folders + [INCLUDE, os.path.join(INCLUDE, "cccl")]]}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return None if answer.get("ok") else answer.get("log", answer.get("error", "")).split("\n")[0]


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def main():
    nvrtc = Nvrtc()
    counts = {"written": 0, "device": 0}
    for path in UNITS:
        name = os.path.splitext(os.path.basename(path))[0]
        folder = os.path.join(FOLDER, name)
        device, whole = device_of(path)
        if len(device["source"]) != len(whole):
            raise RuntimeError(f"{name}: the text has other places")
        for header in device["headers"]:
            write(os.path.join(folder, header["name"]), header["text"])
        unit = write(os.path.join(folder, "unit.cu"), device["source"])
        tried = {"device": (unit, [folder, os.path.dirname(path)])}
        if WRITTEN:
            with open(path, encoding="utf-8") as file:
                tried["written"] = (write(os.path.join(FOLDER, "written.cu"), file.read()), [os.path.dirname(path)])
        for how, (source, folders) in tried.items():
            log = nvrtc.refusal(source, folders)
            counts[how] += log is None
            print(f"{name}: {how}: {'compiles' if log is None else 'refused: ' + log}", flush=True)
    print(f"{len(UNITS)} units, without host code {counts['device']} compile"
          + (f", as written {counts['written']}" if WRITTEN else ""))
    nvrtc.process.stdin.close()
    nvrtc.process.wait()


main()
