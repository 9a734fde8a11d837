#!/usr/bin/env python3
"""Drives ktcc-runner with kernels that must be rejected (bad/) and kernels that must not (good/).

usage: corpus.py RUNNER --backend cuda|opencl [--kernels KERNELS_CU] [--jobs N] [--only PATTERN] [--repeat N]
                 [--json FILE] …

A case is a file: a TOML header in its first comment, then the candidate's code in the words of dialect.h. README.md
says what a header may hold. Prints a table and a summary; exits 1 when a case has another verdict than it should, 77
without a device. With --repeat each candidate is tried so often by one runner, and every time counts: a race must
be rejected always, not once. A case that awaits.txt names for the backend must still fail: when it does not, its line
has to go.
"""
import argparse
import collections
import concurrent.futures
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
TOLERANCES = {"f64": (1e-12, 1e-12), "f32": (1e-5, 1e-4), "f16": (1e-3, 4e-3), "bf16": (1e-2, 1.6e-2)}
FILLS = ("uniform", "normal", "iota", "zeros", "range", "large", "denormal", "constant", "special", "sparse")
SILENCE_S = 60
NO_OFFSETS = "cannot begin at an offset"  # where sub-buffers are aligned, no kernel can be given another
NAMES = {"ceil": math.ceil, "min": min, "max": max}


def read(path):
    """A file's header and code; the code keeps its line numbers."""
    with open(path) as file:
        text = file.read()
    match = re.match(r"/\*\n(.*?)\*/\n", text, re.S)
    if not match:
        raise SystemExit(f"{path}: no header")
    try:
        header = tomllib.loads(match[1])
    except tomllib.TOMLDecodeError as error:
        raise SystemExit(f"{path}: {error}")
    return header, f'#line {match[0].count(chr(10)) + 1} "{os.path.relpath(path, HERE)}"\n' + text[match.end():]


class Case:
    def __init__(self, kind, name):
        self.kind, self.name = kind, name
        self.header, self.code = read(os.path.join(HERE, kind, name + ".cu"))
        self.spec = dict(self.header)
        self.region = self.header.get("region")
        if self.region:
            base, _ = read(os.path.join(HERE, "regions", self.region + ".cu"))
            self.spec = {**base, **self.header}
        wanted = self.header.get("verdict", "ok")
        self.wanted = wanted if isinstance(wanted, list) else [wanted]
        if (kind == "good") != (self.wanted == ["ok"]):
            raise SystemExit(f"{kind}/{name}: the verdict does not belong here")
        self.original = "original_" + (self.region or name)
        self.function = self.spec.get("function", "case_" + name)

    def runs_on(self, backend, device):
        """None, or why the backend is not asked."""
        only = self.spec.get("backend", backend)
        if only != backend:
            return f"{only} only"
        if backend == "opencl" and not all(device.get(feature) for feature in self.spec.get("needs", [])):
            return "the device lacks " + ", ".join(self.spec["needs"])
        return None


def evaluate(expression, variables):
    value = expression
    if isinstance(expression, str):
        value = eval(expression, {"__builtins__": {}}, {**NAMES, **variables})  # the project's own files
    return value


def geometry(spec, variables):
    block = [evaluate(size, variables) for size in spec["block"]] + [1, 1, 1]
    variables = {**variables, "bx": block[0], "by": block[1], "bz": block[2]}
    grid = [math.ceil(evaluate(size, variables)) for size in spec["grid"]] + [1, 1, 1]
    return dict(grid=grid[:3], block=block[:3], shared_bytes=evaluate(spec.get("shared", 0), variables))


def read_words(words, names):
    """"uniform -1 1 seed=3 offset=4 alias=y" as members of a problem's buffer."""
    out, numbers = {}, []
    for word in words.split():
        key, _, value = word.partition("=")
        if key in FILLS:
            out["fill"] = key
        elif key == "alias":
            out["alias"] = names.index(value)
        elif key == "symbol":
            elements, _, name = value.partition(":")
            out["symbol"] = dict(name=name, elements=int(elements))
        elif value:
            out[key] = float(value) if key in ("absolute", "relative") else int(value)
        else:
            numbers.append(float(word))
    out.update(zip("ab", numbers))
    return out


def read_buffer(text):
    match = re.fullmatch(r"(in|out|inout|scratch) (\w+) (\w+)\[(.*?)\]\s*(.*)", text)
    if not match:
        raise SystemExit(f"not a buffer: {text}")
    direction, element, name, count, words = match.groups()
    return dict(direction=direction, element=element, name=name, count=count, words=words)


def describe(problem):
    return " ".join(f"{key}={str(value).replace(' ', ',')}" for key, value in problem.items())


def problem_message(spec, buffers, problem, check):
    names = [buffer["name"] for buffer in buffers]
    variables = {**spec.get("values", {}), **{k: v for k, v in problem.items() if k not in names}}
    data = []
    for i, buffer in enumerate(buffers):
        fill = dict(fill="zeros" if buffer["direction"] in ("out", "scratch") else "uniform", a=-1, b=1, seed=i + 1)
        fill.update(read_words(buffer["words"], names))
        fill.update(read_words(problem.get(buffer["name"], ""), names))
        fill = {key: value for key, value in fill.items() if key not in ("absolute", "relative", "symbol")}
        data.append(dict(count=math.ceil(evaluate(buffer["count"], variables)), **fill))
    values = []
    for argument in spec["arguments"]:
        values.append(None if argument in names else variables[argument.split()[1]])
    variables["offset"] = max((one.get("offset", 0) for one in data), default=0)
    variables["alias"] = any("alias" in one for one in data)
    message = dict(problem=describe(problem), geometry=geometry(spec, variables), values=values, buffers=data)
    if check:
        message["check"] = True
    return message, variables


def region_message(case, program):
    spec = case.spec
    buffers = [read_buffer(text) for text in spec["buffers"]]
    names = [buffer["name"] for buffer in buffers]
    listed = []
    for buffer in buffers:
        absolute, relative = TOLERANCES.get(buffer["element"], (0, 0))
        words = read_words(buffer["words"], names)
        listed.append(dict(name=buffer["name"], element=buffer["element"], direction=buffer["direction"],
                           absolute=words.get("absolute", absolute), relative=words.get("relative", relative),
                           **{key: words[key] for key in ("symbol",) if key in words}))
    arguments = [dict(buffer=names.index(a)) if a in names else dict(element=a.split()[0]) for a in spec["arguments"]]
    rows = [problem_message(spec, buffers, p, False) for p in spec["problems"]]
    rows += [problem_message(spec, buffers, p, True) for p in spec.get("checks", [])]
    message = dict(request="region", name=case.region or case.name, instance=case.original, cubin=program,
                   function=case.original, limit_s=spec.get("limit_s", 8), arguments=arguments, buffers=listed,
                   problems=[row[0] for row in rows])
    return message, [row[1] for row in rows]


def try_message(case, program, variables):
    spec, items = {**case.spec, **case.header.get("launch", {})}, []
    for values in variables:
        inside = evaluate(case.spec.get("guard", True), values)
        items.append(dict(geometry=geometry(spec, values)) if inside else dict(skip=True))
    return dict(request="try", cubin=program, function=case.function, configuration=case.name, problems=items,
                warmups=case.spec.get("warmups", 1), repetitions=case.spec.get("repetitions", 3),
                hot=case.spec.get("hot", False))


class Runner:
    """One ktcc-runner at a time; region() keeps the one that is prepared."""

    def __init__(self, command, support):
        self.command, self.support, self.child, self.prepared = command, support, None, None
        self.code = None  # what the last one ended with
        self.refusal = None  # of the original by the region that is prepared
        self.impossible = []  # checks that no launch on this device can be

    def ask(self, request):
        """The reply; None when the runner ended or was silent for too long and was killed."""
        timer = threading.Timer(SILENCE_S, self.child.kill)
        timer.start()
        try:
            self.child.stdin.write(json.dumps(request) + "\n")
            self.child.stdin.flush()
            line = self.child.stdout.readline()
        except BrokenPipeError:
            line = ""
        timer.cancel()
        reply = json.loads(line) if line else None
        if reply is None or reply.get("fatal"):
            self.close()
        return reply

    def close(self):
        if self.child:
            # communicate() closes both ends and does not mind one that is broken.
            try:
                self.child.communicate(timeout=SILENCE_S)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.communicate()
            self.code = self.child.returncode
        self.child = self.prepared = None

    def start(self):
        self.child = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, text=True)
        hello = self.ask(dict(request="hello", protocol=1))
        if hello and "error" not in hello and hello["wants_support"]:
            reply = self.ask(dict(request="support", cubin=self.support))
            if reply is None or "error" in reply:
                raise SystemExit(f"support: {reply}")
        return hello or {"error": "the runner ended"}

    def region(self, message, skips):
        """An error's text, or None. skips: a pattern of checks that the original is to be kept out of."""
        if self.child is None:
            self.start()
        if message == self.prepared:
            return self.refusal
        reply = self.ask(message)
        if reply is None:
            return f"the runner ended with the original, exit code {self.code}"
        if "error" in reply:
            self.prepared = None
            return reply["error"]
        skipped = {row["problem"]: row.get("detail") for row in reply["problems"] if row["skipped"]}
        kept_out = [row["problem"] for row in reply["problems"] if skips and re.search(skips, row["problem"])]
        self.impossible = [problem for problem, detail in skipped.items() if NO_OFFSETS in detail] + kept_out
        left = {problem: detail for problem, detail in skipped.items() if problem not in self.impossible}
        self.prepared = message
        self.refusal = f"skipped: {left}" if left else None
        if not set(kept_out) <= set(skipped):
            self.refusal = f"not skipped: {kept_out}"
        return self.refusal


Result = collections.namedtuple("Result", "case verdict where detail seconds good why")


def judge(case, reply, seconds, runner):
    if reply is None:
        reply = {"verdict": "crashed", "problems": [], "error": f"the runner ended, exit code {runner.code}"}
    verdict = reply.get("verdict", "none")
    rows = [row for row in reply.get("problems", []) if row["verdict"] not in ("ok", "skipped")]
    where, detail = (rows[0]["problem"], rows[0].get("detail", "")) if rows else ("", reply.get("error", ""))
    why = []
    if verdict not in case.wanted:
        why.append("wanted " + " or ".join(case.wanted))
    if not re.search(case.header.get("at", ""), where):
        why.append(f"wanted on {case.header['at']}")
    if case.header.get("says", "") not in detail:
        why.append(f"wanted '{case.header['says']}'")
    if case.kind == "good":
        skipped = [row for row in reply.get("problems", []) if row["verdict"] == "skipped"]
        why += [f"{row['problem']} was not run" for row in skipped
                if row.get("detail") != "not asked" and row["problem"] not in runner.impossible][:1]
    return Result(case, verdict, where, detail, seconds, not why, ", ".join(why))


def run_group(runner, cases, program, repeat):
    for case in [case for case in cases for _ in range(repeat)]:
        start = time.monotonic()
        message, variables = region_message(case, program)
        error = runner.region(message, case.spec.get("skips"))
        if error:
            yield Result(case, "none", "", error, time.monotonic() - start, False, "the original is refused")
        else:
            reply = runner.ask(try_message(case, program, variables))
            yield judge(case, reply, time.monotonic() - start, runner)


def write_program(path, cases, backend):
    """All code in one file: originals of regions, then the cases, each with its names."""
    with open(os.path.join(HERE, "dialect.h")) as file:
        parts = [file.read()]
    for region in sorted({case.region for case in cases if case.region}):
        _, code = read(os.path.join(HERE, "regions", region + ".cu"))
        parts += [f"#define ORIGINAL original_{region}", code, "#undef ORIGINAL"]
    for case in cases:
        around = (f"namespace of_{case.name} {{", "}") if backend == "cuda" else ("", "")
        parts += [f"#define CANDIDATE case_{case.name}\n#define ORIGINAL original_{case.name}\n{around[0]}", case.code,
                  f"{around[1]}\n#undef CANDIDATE\n#undef ORIGINAL"]
    with open(path, "w") as out:
        out.write("\n".join(parts) + "\n")


def compile_cuda(nvcc, source, out, arch, log):
    command = [nvcc, "-cubin", f"-arch={arch}", "-w", "-o", out, source]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        log(done.stdout)
        raise SystemExit(f"nvcc failed on {source}")


def find_cases(only):
    for kind in ("bad", "good"):
        for entry in sorted(os.listdir(os.path.join(HERE, kind))):
            name, extension = os.path.splitext(entry)
            if extension == ".cu" and re.search(only, f"{kind}/{name}"):
                yield Case(kind, name)


def read_awaits(backend):
    """What awaits.txt says still fails: case, and why."""
    out = {}
    with open(os.path.join(HERE, "awaits.txt")) as file:
        for line in file:
            words = line.split(maxsplit=2)
            if words and not line.startswith("#") and words[0] == backend:
                out[words[1]] = words[2].strip()
    return out


def groups_of(cases, program):
    """Cases of one region message together, so that an original runs once; what kills the runner last."""
    groups = collections.defaultdict(list)
    for case in cases:
        groups[json.dumps(region_message(case, program)[0])].append(case)
    for group in groups.values():
        group.sort(key=lambda case: bool({"crashed", "timed-out", "out-of-bounds"} & set(case.wanted)))
    return sorted(groups.values(), key=len, reverse=True)


def run_all(cases, program, make_runner, jobs, repeat):
    local, runners = threading.local(), []

    def work(group):
        if not hasattr(local, "runner"):
            local.runner = make_runner()
            runners.append(local.runner)
        return list(run_group(local.runner, group, program, repeat))

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for results in pool.map(work, groups_of(cases, program)):
            yield from results
    for runner in runners:
        runner.close()


def report(results, awaits, repeat):
    """Prints the table, of each case the first result that is not as it should be; the number of cases with such."""
    wrong, of_case = 0, collections.defaultdict(list)
    for one in results:
        of_case[one.case.kind, one.case.name].append(one)
    for (kind, case), ones in sorted(of_case.items()):
        name = f"{kind}/{case}"
        waiting = awaits.get(name)
        result = min(ones, key=lambda one: one.good)
        good = result.good != bool(waiting)
        wrong += not good
        state = "FAIL" if not good else "awaits" if waiting else "ok"
        note = f"remove it from awaits.txt: {waiting}" if waiting and result.good else result.why
        detail = result.detail.splitlines()[0][:140] if result.detail else ""
        share = f"{sum(one.good for one in ones)} of {repeat}  " if repeat > 1 else ""
        print(f"{state:6} {name:32} {result.verdict:17} {sum(one.seconds for one in ones):6.2f} s  {share}"
              f"{': '.join(filter(None, (result.where, detail)))}{f' ({note})' if note else ''}", flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runner")
    parser.add_argument("--backend", choices=("cuda", "opencl"), required=True)
    parser.add_argument("--kernels", help="runner_kernels.cu of the installed tree, for cuda")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--arch", default="native")
    parser.add_argument("--jobs", type=int, default=1, help="runners at a time")
    parser.add_argument("--only", default="", help="cases in whose kind/name this expression is found")
    parser.add_argument("--repeat", type=int, default=1, help="tries of each case")
    parser.add_argument("--json", help="results as JSON lines")
    parser.add_argument("--compile", action="store_true", help="compile and stop")
    options = parser.parse_args()
    cases, begin = list(find_cases(options.only)), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        support = program = None
        probe = Runner([options.runner, "--backend", options.backend], None)
        if options.backend == "cuda":
            support, program = os.path.join(folder, "support.cubin"), os.path.join(folder, "corpus.cubin")
            compile_cuda(options.nvcc, options.kernels, support, options.arch, print)
            probe.support = support
        if not options.compile:
            hello = probe.start()
            probe.close()
            if "error" in hello:
                print(f"skipped: {hello['error']}")
                return 77
        chosen, left = [], []
        for case in cases:
            why = case.runs_on(options.backend, hello["device"] if not options.compile else {"fp64": 1})
            (left if why else chosen).append((case, why))
        chosen = [case for case, _ in chosen]
        source = os.path.join(folder, "corpus.cu" if options.backend == "cuda" else "corpus.cl")
        write_program(source, chosen, options.backend)
        if options.backend == "cuda":
            compile_cuda(options.nvcc, source, program, options.arch, print)
        else:
            program = source
        if options.compile:
            return 0
        print(f"{hello['device']['name']}: {len(chosen)} cases, {len(left)} of another backend or device", flush=True)
        results = list(run_all(chosen, program, lambda: Runner(probe.command, support), options.jobs,
                               options.repeat))
    awaits = read_awaits(options.backend)
    wrong = report(results, awaits, options.repeat)
    if options.json:
        with open(options.json, "w") as out:
            for one in results:
                row = dict(kind=one.case.kind, case=one.case.name, verdict=one.verdict, problem=one.where)
                row.update(detail=one.detail, seconds=round(one.seconds, 3), as_wanted=one.good)
                out.write(json.dumps(row) + "\n")
    for kind, word in (("bad", "rejected"), ("good", "accepted")):
        of_kind = [one for one in results if one.case.kind == kind]
        print(f"{kind}: {sum(one.good for one in of_kind)} of {len(of_kind)} {word} as they should be")
    print(f"{wrong} failed, {time.monotonic() - begin:.1f} s")
    print("failed" if wrong else "passed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
