#!/usr/bin/env python3
"""Drives ktcc-runner --backend opencl with kernels that are right, wrong and dangerous.

usage: runner_opencl.py RUNNER KERNELS_CL
Prints one line a case; exits 1 when one fails, 77 without an OpenCL device.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

SIZES = (1, 1000, 4099, 1 << 18)


class Runner:
    def __init__(self, command):
        self.command, self.child, self.region_request = command, None, None

    def start(self):
        self.child = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.device = self.ask(request="hello", protocol=1)
        return self.device

    def ask(self, **request):
        self.child.stdin.write(json.dumps(request) + "\n")
        self.child.stdin.flush()
        line = self.child.stdout.readline()
        if not line:
            raise RuntimeError(f"the runner ended with {self.child.wait()}")
        reply = json.loads(line)
        if reply.get("fatal"):
            assert self.child.wait(10) == 3, "a fatal reply and no exit"
            self.child = None
        return reply

    def region(self, **members):
        if self.child is None:
            self.start()
        self.region_request = dict(request="region", **members)
        return self.ask(**self.region_request)

    def revive(self):
        if self.child is None:
            self.start()
            reply = self.ask(**self.region_request)
            assert "error" not in reply, reply


def geometry(n, per_thread=1, shared=0, block=64):
    return dict(grid=[-(-n // (block * per_thread)), 1, 1], block=[block, 1, 1], shared_bytes=shared)


def scale_region(runner, program, function="original", fill=("uniform", -1, 1), extra=(), **more):
    arguments = [dict(buffer=0), dict(buffer=1), dict(element="i32"), dict(element="f32")]
    buffers = [dict(name="y", element="f32", direction="out", absolute=1e-5, relative=1e-4),
               dict(name="x", element="f32", direction="in")]
    scratch = []
    for argument in extra:
        arguments.append(argument)
        if "buffer" in argument:
            buffers.append(dict(name="t", element="i32", direction="scratch"))
            scratch = [True]
    problems = [dict(problem=f"n={n}", geometry=geometry(n, shared=256), read_bytes=4 * n, write_bytes=4 * n,
                     values=[None, None, n, 1.5] + [None] * len(extra),
                     buffers=[dict(count=n, fill="zeros"),
                              dict(count=n, fill=fill[0], a=fill[1], b=fill[2], seed=i + 1)] +
                             [dict(count=n, fill="zeros") for _ in scratch])
                for i, n in enumerate(SIZES)]
    return runner.region(name="scale", instance=function, cubin=program, function=function, limit_s=4,
                         arguments=arguments, buffers=buffers, problems=problems, **more)


def attempt(runner, program, function, per_thread=1, shared=256, block=64, repetitions=10, warmups=2, **more):
    return runner.ask(request="try", cubin=program, function=function, configuration=f"F={function}",
                      warmups=warmups, repetitions=repetitions,
                      problems=[dict(geometry=geometry(n, per_thread, shared, block)) for n in SIZES], **more)


failures = 0


def check(name, good, what):
    global failures
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'} {name}" + ("" if good else f": {json.dumps(what)[:1500]}"), flush=True)


def verdict(runner, program, function, wanted, says="", **more):
    runner.revive()
    start = time.monotonic()
    reply = attempt(runner, program, function, **more)
    seconds = time.monotonic() - start
    details = [p.get("detail") for p in reply.get("problems", []) if p.get("detail")]
    check(f"{function}: {wanted} ({seconds:.2f} s; {details[:1]})",
          reply.get("verdict") == wanted and says in "\n".join(details), reply)
    return reply


def add_region(runner, program):
    sizes = (33, 100000)
    reply = runner.region(
        name="add", instance="add", cubin=program, function="add", limit_s=4,
        arguments=[dict(buffer=0), dict(buffer=1), dict(element="i32")],
        buffers=[dict(name="r", element="f32", direction="inout", absolute=1e-5, relative=1e-4),
                 dict(name="x", element="f32", direction="in")],
        problems=[dict(problem=f"n={n}", geometry=geometry(n), values=[None, None, n], read_bytes=8 * n,
                       write_bytes=4 * n, buffers=[dict(count=n, fill="normal", a=0, b=1, seed=7),
                                                   dict(count=n, fill="uniform", a=-1, b=1, seed=8)]) for n in sizes])
    check("region in place", "error" not in reply, reply)
    effort = dict(repetitions=10, warmups=2)
    problems = [dict(geometry=geometry(n)) for n in sizes]
    reply = runner.ask(request="try", cubin=program, function="add", configuration="F=add", problems=problems, **effort)
    check("add in place: ok", reply.get("verdict") == "ok", reply)
    reply = runner.ask(request="compare", candidates=[dict(configuration=""),
                       dict(configuration="F=add", cubin=program, function="add", problems=problems)], **effort)
    check("compare in place", len(reply.get("timings", [])) == 2, reply)


CHECKS = (dict(n=13), dict(n=17), dict(n=255), dict(n=256), dict(n=1031, fill="large"), dict(n=1031, fill="denormal"),
          dict(n=1031, fill="special"), dict(n=1031, fill="constant"), dict(n=1031, fill="sparse"),
          dict(n=1028, alias=True),
          dict(n=1028, offset=4))


def check_region(runner, program, function="original"):
    problems = [dict(problem=f"n={n}", geometry=geometry(n), values=[None, None, n, 1.5], read_bytes=4 * n,
                     write_bytes=4 * n,
                     buffers=[dict(count=n, fill="zeros"), dict(count=n, a=-1, b=1, seed=3)]) for n in (4096, 4099)]
    for c in CHECKS:
        n = c["n"]
        x = dict(count=n, fill=c.get("fill", "uniform"), a=-1, b=1, seed=9, offset=c.get("offset", 0))
        if c.get("alias"):
            x["alias"] = 0
        problems.append(dict(problem=f"check {c}", check=True, geometry=geometry(n), values=[None, None, n, 1.5],
                             buffers=[dict(count=n, fill="zeros"), x]))
    return runner.region(name="scale", instance=function, cubin=program, function=function, limit_s=4,
                         arguments=[dict(buffer=0), dict(buffer=1), dict(element="i32"), dict(element="f32")],
                         buffers=[dict(name="y", element="f32", direction="out", absolute=1e-5, relative=1e-4),
                                  dict(name="x", element="f32", direction="in")], problems=problems)


def try_checks(runner, program, function, per_thread=1, skip=()):
    sizes = [4096, 4099] + [c["n"] for c in CHECKS]
    return runner.ask(request="try", cubin=program, function=function, configuration=f"C={function}", warmups=1,
                      repetitions=3, problems=[dict(skip=True) if i in skip else dict(geometry=geometry(n, per_thread))
                                               for i, n in enumerate(sizes)])


def checks(runner, program):
    reply = check_region(runner, program)
    check("region with checks", "error" not in reply and
          [p["skipped"] for p in reply["problems"]] == [False] * 12 + [True] and
          "offset" in reply["problems"][-1]["detail"], reply)
    reply = try_checks(runner, program, "right", per_thread=4)
    check("right on all checks", reply.get("verdict") == "ok" and
          all(p["verdict"] == "ok" for p in reply["problems"][:-1]) and
          all(("timing" in p) == (i < 2) for i, p in enumerate(reply["problems"])), reply)
    reply = try_checks(runner, program, "odd", skip=range(2, 13))
    check("checks that are not asked", reply.get("verdict") == "ok" and
          [p.get("detail") for p in reply["problems"][2:]] == ["not asked"] * 11, reply)
    for function, verdicts, where in (("odd", ("wrong-answer",), 2), ("twice", ("wrong-answer",), 11),
                                      ("reads_behind", ("wrong-answer", "non-deterministic"), 0),
                                      ("accumulates", ("wrong-answer",), 0), ("swallows", ("wrong-answer",), 8)):
        reply = try_checks(runner, program, function)
        bad = [i for i, p in enumerate(reply.get("problems", [])) if p["verdict"] not in ("ok", "skipped")]
        check(f"{function}: {reply.get('verdict')}, {reply['problems'][bad[0]].get('detail') if bad else ''}",
              reply.get("verdict") in verdicts and bad[:1] == [where], reply)
    u = reply["problems"][0].get("ulp", [{}])[0]
    check("distances", u == dict(buffer="y", largest=0, index=0, counts=[4096]), u)
    reply = check_region(runner, program, "fragile")
    check("a check on which the original writes beyond is skipped", reply["problems"][2]["skipped"] and
          "past the end of y" in reply["problems"][2]["detail"] and not reply["problems"][3]["skipped"], reply)
    reply = check_region(runner, program, "explodes")
    check("a check on which the original faults is named", reply.get("fatal") and reply.get("problem") == 3, reply)
    runner.start()
    reply = runner.ask(**dict(runner.region_request,
                              problems=[dict(p, check=True) for p in runner.region_request["problems"]]))
    check("checks alone are no region", "no problem" in reply.get("error", ""), reply)


def curves(runner):
    reply = runner.ask(request="copy-floor", warmups=1, repetitions=3, largest_bytes=1 << 20)
    check("copy floor", [p["name"] for p in reply.get("patterns", [])] == ["read 1 write 1"] and
          [q["bytes"] for q in reply["patterns"][0]["points"]] == [1 << k for k in range(16, 21)] and
          all(q["median_ns"] > 0 for q in reply["patterns"][0]["points"]), reply)


def once(command, program):
    runner = Runner([*command, "--once"])
    runner.start()
    reply = check_region(runner, program)
    check("once: region", "error" not in reply, reply)
    reply = try_checks(runner, program, "wrong")
    runner.child.stdin.close()
    check("once: nothing is compared, and the runner ends", reply.get("verdict") == "ok" and runner.child.wait(20) == 0,
          reply)


def watched(command, program, folder):
    """A tool sees what the candidate alone does, each buffer on its own."""
    log = os.path.join(folder, "oclgrind.log")
    for function, says in (("right", ""), ("behind", "Invalid write of size 4")):
        runner = Runner(["oclgrind", "--log", log, *command, "--once"])
        runner.start()
        reply = check_region(runner, program)
        check("watched: region", "error" not in reply, reply)
        reply = try_checks(runner, program, function, per_thread=4 if function == "right" else 1)
        runner.child.stdin.close()
        code = runner.child.wait(60)
        text = open(log).read() if os.path.exists(log) else ""
        check(f"watched: {function}", reply.get("verdict") == "ok" and code == 0 and says in text and
              ("Entity: Global(4099,0,0)" in text) == bool(says) and (bool(says) or not text), [reply, code, text])


def measure(runner, program):
    runner.revive()
    reply = attempt(runner, program, "right", per_thread=4, repetitions=50)
    timing = reply["problems"][-1].get("timing", {})
    check("times are above 0", timing.get("median_ns", 0) > 0 and timing.get("samples") == 50, reply)
    check("clocks agree", not any(p.get("detail") for p in reply["problems"]), reply)
    one = dict(cubin=program, function="right", configuration="F=right",
               problems=[dict(geometry=geometry(n, 4)) for n in SIZES])
    reply = runner.ask(request="compare", candidates=[dict(configuration=""), one], warmups=4, repetitions=20)
    check("compare", all(c["timing"]["median_ns"] > 0 and c["timing"]["samples"] == 20
                         for row in reply.get("timings", [[{"timing": {"median_ns": 0}}]]) for c in row), reply)
    reply = runner.ask(request="floor", warmups=4, repetitions=20)
    check("floor", all(f > 0 for f in reply.get("floor_ns", [0])), reply)
    reply = attempt(runner, program, "right", per_thread=4, repetitions=1)
    check("one repetition", reply["problems"][0].get("timing", {}).get("samples") == 1, reply)


def builds(runner, folder, program, device):
    def write(name, text):
        path = os.path.join(folder, name)
        with open(path, "w") as out:
            out.write(text)
        return path
    broken = write("broken.cl", '#line 41 "user.cl"\nkernel void k(global float *y) {\n\ty[0] = undeclared;\n}\n')
    # NVIDIA's compiler counts the lines of the text it was given.
    verdict(runner, broken, "k", "no-compile", says="3:9" if "NVIDIA" in device["vendor"] else "user.cl:42")
    verdict(runner, program, "no_such_kernel", "no-compile")
    verdict(runner, os.path.join(folder, "absent.cl"), "k", "no-compile", says="absent.cl")
    text = "kernel void k(global float *y, global const float *x, int n, float a) " \
           "{ size_t i = get_global_id(0); if (i < n) y[i] = FACTOR * a * x[i]; }\n"
    macro = write("macro.cl", text)
    verdict(runner, macro, "k", "no-compile", says="FACTOR")
    verdict(runner, macro, "k", "wrong-answer", options="-DFACTOR=2")
    verdict(runner, macro, "k", "ok", options="-DFACTOR=1")
    large = write("large.cl", "kernel void k(global float *y, global const float *x, int n, float a) { local float "
                  "t[1 << 20]; size_t i = get_global_id(0), l = get_local_id(0); t[l] = i < n ? x[i] : 0.0f; "
                  "barrier(CLK_LOCAL_MEM_FENCE); if (i < n) y[i] = a * t[get_local_size(0) - 1 - l]; }\n")
    verdict(runner, large, "k", "over-limit")
    for extension, type_name in (("fp16", "half"), ("fp64", "double")):
        source = write(f"{extension}.cl", f"#pragma OPENCL EXTENSION cl_khr_{extension} : enable\n" +
                       text.replace("FACTOR * a", f"(float)(({type_name})a)"))
        # NVIDIA's compiler takes half without naming the extension.
        if device.get(extension) or "NVIDIA" in device["vendor"]:
            verdict(runner, source, "k", "ok")
        else:
            verdict(runner, source, "k", "over-limit", says=f"the device has no {extension}")


def main():
    runner = Runner([sys.argv[1], "--backend", "opencl"])
    program = sys.argv[2]
    reply = runner.start()
    if "error" in reply:
        print(f"skipped: {reply['error']}")
        return 77
    device = reply["device"]
    print("     " + json.dumps(device))
    check("hello", reply["backend"] == "opencl" and not reply["wants_support"] and device["cc"] == 0, reply)
    check("device", all(device[k] > 0 for k in ("multiprocessors", "max_threads_per_block", "shared_bytes_per_block",
                                                "memory_bytes", "warp_size")) and device["vendor"] and device["driver"],
          device)
    reply = scale_region(runner, program)
    check("region", "error" not in reply and not any(p["skipped"] or p["nondeterministic"] for p in reply["problems"]),
          reply)
    verdict(runner, program, "right", "ok", per_thread=4)
    verdict(runner, program, "original", "ok")
    verdict(runner, program, "fixed_size", "ok")
    verdict(runner, program, "fixed_size", "over-limit", block=32)
    verdict(runner, program, "right", "over-limit", per_thread=4, block=device["max_threads_per_block"] * 2)
    verdict(runner, program, "add", "no-compile", says="3 arguments")
    for function in ("wrong", "unwritten", "not_a_number"):
        verdict(runner, program, function, "wrong-answer")
    verdict(runner, program, "behind", "out-of-bounds", says="end of y", block=128)
    verdict(runner, program, "before", "out-of-bounds", says="before the start of y")
    verdict(runner, program, "input_changed", "wrong-answer", says="input x was changed")
    with tempfile.TemporaryDirectory() as folder:
        builds(runner, folder, program, device)
    verdict(runner, program, "illegal", "out-of-bounds")
    check("the runner left after a fault", runner.child is None, "still there")
    verdict(runner, program, "hangs", "timed-out")
    check("the runner left a hanging kernel", runner.child is None, "still there")
    verdict(runner, program, "right", "ok", per_thread=4)
    measure(runner, program)
    reply = scale_region(runner, program, "border")
    check("region that leaves elements unwritten", "error" not in reply and
          not any(p["nondeterministic"] for p in reply["problems"]), reply)
    verdict(runner, program, "border", "ok")
    verdict(runner, program, "original", "wrong-answer")
    reply = scale_region(runner, program, "with_local", extra=[dict(local=True)])
    check("region with local memory", "error" not in reply, reply)
    verdict(runner, program, "with_local", "ok")
    verdict(runner, program, "with_local", "over-limit", shared=1 << 30)
    reply = scale_region(runner, program, "spare", extra=[dict(buffer=2)])
    check("region with scratch memory", "error" not in reply, reply)
    verdict(runner, program, "wavers", "non-deterministic", says="differ between two runs")
    reply = scale_region(runner, program, "wavers", extra=[dict(buffer=2)])
    check("an original that wavers", reply.get("problems", [{}])[-1].get("nondeterministic") is True, reply)
    verdict(runner, program, "spare", "ok")
    reply = scale_region(runner, program, "behind")
    check("an original that writes behind its output is refused", "y" in reply.get("error", ""), reply)
    check("no region is left", "error" in attempt(runner, program, "right"), "a verdict without a region")
    reply = scale_region(runner, program, "original", options="-DONE=1 -not-an-option")
    check("options that do not exist are refused", "error" in reply, reply)
    add_region(runner, program)
    checks(runner, program)
    curves(runner)
    once(runner.command, program)
    if shutil.which("oclgrind"):
        with tempfile.TemporaryDirectory() as folder:
            watched(runner.command, program, folder)
    print("failed" if failures else "passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
