"""Units with host code in their headers, for NVRTC: device.py PREFIX TOOLKIT FOLDER UNIT...

For each unit: does NVRTC compile it as written, and as ktcc-clang's "device" gives it?
"""
import json
import os
import subprocess
import sys

PREFIX, TOOLKIT, FOLDER = sys.argv[1:4]
PROGRAMS = os.path.join(PREFIX, "libexec", "ktcc")
LIBRARY = os.path.join(TOOLKIT, "lib64", "libnvrtc.so")
INCLUDE = os.path.join(TOOLKIT, "include")


def device_of(path):
    command = [os.path.join(PROGRAMS, "ktcc-clang"), "serve", "--file", path, "--toolkit", TOOLKIT, "--arch", "90", "--",
               "-std=c++17", "-isystem", os.path.dirname(path), "-isystem", os.path.join(INCLUDE, "cccl")]
    done = subprocess.run(command, input='{"verb":"device","region":0,"text":""}\n', capture_output=True, text=True,
                          check=True)
    return json.loads(done.stdout)


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
    for path in sys.argv[4:]:
        name = os.path.splitext(os.path.basename(path))[0]
        folder = os.path.join(FOLDER, name)
        device = device_of(path)
        if len(device["source"]) != os.path.getsize(path):
            raise RuntimeError(f"{name}: the text has other places")
        for header in device["headers"]:
            write(os.path.join(folder, header["name"]), header["text"])
        unit = write(os.path.join(folder, "unit.cu"), device["source"])
        with open(path, encoding="utf-8") as file:
            written = write(os.path.join(FOLDER, "written.cu"), file.read())
        as_written = nvrtc.refusal(written, [os.path.dirname(path)])
        as_device = nvrtc.refusal(unit, [folder, os.path.dirname(path)])
        counts["written"] += as_written is None
        counts["device"] += as_device is None
        print(f"{name}: as written {'compiles' if as_written is None else 'refused'}, without host code "
              f"{'compiles' if as_device is None else 'refused: ' + as_device}", flush=True)
    print(f"{len(sys.argv) - 4} units: {counts['written']} compile as written, {counts['device']} without host code")
    nvrtc.process.stdin.close()
    nvrtc.process.wait()


main()
