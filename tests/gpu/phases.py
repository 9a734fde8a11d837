"""Who uses the processors and the GPU in which phase of a tuning, for throughput.py.

`Watch` samples, until it is stopped, the processor time of all descendants of this process by program (/proc, every 25 ms;
what a process uses after its last sample is not seen) and nvidia-smi's utilisation of the GPU (every 100 ms). `rows` makes
of that, and of the requests that the runner was sent, one row for each phase of each region instance:

  phase         build    from the start, or the end of the instance before, to the first request about the region: reading
                         the file, generation, and the compilation of the original, with the first candidates beside it
                prepare  to the first candidate: references, the original's times, the copy floor
                search   to the last candidate of the search
                final    to the last reply: nvcc's binaries of the finalists, their comparison, checks of what wins
                rest     what follows the last instance: the entry is written
  seconds       of the phase
  wait_s        part of them in which the runner had nothing to do, so that no candidate was loaded, verified or timed
  runner        part of it in which the runner worked on a request: loading, verifying, timing
  gpu           nvidia-smi's mean utilisation in it, percent: kernels were running in so much of the time
  cpu           part of all processors that was used
  *_cpu_s       processor seconds by program: front (ktcc, ktcc-clang), nvrtc (ktcc-nvrtc, which has the optimiser and ptxas
                in it), cicc, ptxas (both nvcc's), host (nvcc's other programs), runner, other
  load_s, verify_s, time_s, device_s, prepare_s   of the runner's time, by its own account
  per_second    of a search: configurations that were decided on the device, a second (throughput.py adds this and the next)
  nvrtc_per_second   what as many processes of NVRTC compile a second of the kernel's space, with nothing else to do: the bound
  of_nvrtc      the one through the other
"""
import os
import subprocess
import threading
import time

PROGRAMS = {"ktcc": "front", "ktcc-clang": "front", "ktcc-llm": "front", "ktcc-nvrtc": "nvrtc", "cicc": "cicc", "ptxas": "ptxas",
            "nvcc": "host", "cudafe++": "host", "fatbinary": "host", "nvlink": "host", "gcc": "host", "g++": "host",
            "cc1plus": "host", "cc1": "host", "as": "host", "ld": "host", "collect2": "host", "sh": "host",
            "ktcc-runner": "runner"}
KINDS = ("front", "nvrtc", "cicc", "ptxas", "host", "runner", "other")
SPENT = ("prepare", "load", "verify", "time", "device")
DEVICE = ("region", "try", "compare", "floor", "copy-floor", "support")
RATES = ["per_second", "nvrtc_per_second", "of_nvrtc"]
COLUMNS = ["run", "kernel", "instance", "phase", "seconds", "wait_s", "runner", "gpu", "cpu", *(f"{kind}_cpu_s" for kind in KINDS),
           *(f"{part}_s" for part in SPENT), *RATES]
TICK = 1 / os.sysconf("SC_CLK_TCK")


def processes():
    """pid → (parent, program, processor seconds)"""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as stat:
                name, rest = stat.read().split("(", 1)[1].rsplit(")", 1)
        except (OSError, IndexError):
            continue
        fields = rest.split()
        found[int(pid)] = (int(fields[1]), name, (int(fields[11]) + int(fields[12])) * TICK)
    return found


class Watch(threading.Thread):
    def __init__(self):
        super().__init__(daemon=True)
        self.used = []  # (when, kind, processor seconds since the sample before)
        self.busy = []  # (when, percent)
        self.stopping = threading.Event()
        try:
            self.smi = subprocess.Popen(["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits",
                                         "-lms", "100"], stdout=subprocess.PIPE, text=True)
            threading.Thread(target=self.listen, daemon=True).start()
        except OSError:
            self.smi = None

    def listen(self):
        for line in self.smi.stdout:
            if line.strip().isdigit():
                self.busy.append((time.monotonic(), int(line)))

    def run(self):
        known = {}
        while not self.stopping.wait(0.025):
            now, all_ = time.monotonic(), processes()
            mine = {os.getpid()}
            while True:
                more = {pid for pid, (parent, _, _) in all_.items() if parent in mine} - mine
                if not more:
                    break
                mine |= more
            for pid in mine - {os.getpid()}:
                _, name, seconds = all_[pid]
                if name != "nvidia-smi" and seconds > known.get(pid, 0):
                    self.used.append((now, PROGRAMS.get(name, "other"), seconds - known.get(pid, 0)))
                known[pid] = seconds

    def stop(self):
        self.stopping.set()
        self.join()
        if self.smi:
            self.smi.terminate()
            self.smi.wait()


def row(watch, exchanges, begin, end, **names):
    seconds = max(end - begin, 1e-9)
    used = {kind: sum(amount for when, its, amount in watch.used if its == kind and begin <= when < end) for kind in KINDS}
    busy = [percent for when, percent in watch.busy if begin <= when < end]
    inside = [each for each in exchanges if each["request"] in DEVICE and begin <= each["begin"] and each["end"] <= end + 1e-3]
    runner = sum(each["end"] - each["begin"] for each in inside)
    return {**names, "seconds": round(end - begin, 3), "wait_s": round(seconds - runner, 3), "runner": round(runner / seconds, 3),
            "gpu": round(sum(busy) / len(busy), 1) if busy else "",
            "cpu": round(sum(used.values()) / seconds / len(os.sched_getaffinity(0)), 3),
            **{f"{kind}_cpu_s": round(amount, 2) for kind, amount in used.items()},
            **{f"{part}_s": round(sum(each["spent_s"].get(part, 0) for each in inside), 3) for part in SPENT}}


def rows(watch, run, kernel, exchanges, begin, end, of_search):
    """`exchanges` of one command, in order, that ran from begin to end. of_search: which tries are the search's own."""
    found, instance, tries, regions, own, last, final = [], None, [], [], [], begin, False

    def close():
        if instance is None or not regions:
            return
        bounds = {"build": (last, regions[0]["begin"])}
        if tries:
            searched = of_search(tries)
            bounds["prepare"] = (regions[0]["begin"], searched[0]["begin"])
            bounds["search"] = (searched[0]["begin"], searched[-1]["end"])
            bounds["final"] = (searched[-1]["end"], own[-1]["end"])
        for phase, (from_, to) in bounds.items():
            found.append(row(watch, exchanges, from_, to, run=run, kernel=kernel, instance=instance, phase=phase))

    for each in exchanges:
        if each["request"] == "region" and each["instance"] != instance:
            close()
            last = own[-1]["end"] if instance is not None else begin
            instance, tries, regions, own, final = each["instance"], [], [], [], False
        if each["request"] == "region":
            regions.append(each)
        final = final or each.get("candidates", 1) > 1
        if each["request"] == "try" and not final:
            tries.append(each)
        own.append(each)
    close()
    if own:
        found.append(row(watch, exchanges, own[-1]["end"], end, run=run, kernel=kernel, instance="all", phase="rest"))
    found.append(row(watch, exchanges, begin, end, run=run, kernel=kernel, instance="all", phase="all"))
    return found
