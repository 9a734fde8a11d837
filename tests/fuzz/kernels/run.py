#!/usr/bin/env python3
"""Random kernels (generate.py), and every feasible variant of each beside it, on the processor (emulate.h).

  run.py --count N [--seed S] [--first N] [--unit N] [--state FILE] [--keep FOLDER] [--seconds N] KTCC_CLANG TOOLKIT
  run.py --shrink INDEX [--seed S] [--keep FOLDER] KTCC_CLANG TOOLKIT
  run.py --files FOLDER KTCC_CLANG TOOLKIT

A kernel runs as written twice, with its threads and blocks in other orders: one that faults, waits for ever or gives two
results is dropped, and counted. Then at most 8 configurations of its template, chosen so that each value of each parameter
occurs where the restrictions allow it, on two problems; results must be the same, to the last bit but for sums of
fractions, and nothing beside a buffer may change. A file of the state makes a further call go on behind the last unit.
A failure is made smaller and left in FOLDER; --files runs the kernels of a folder instead of random ones.
"""
import argparse
import functools
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
INPUTS = os.path.join(os.path.dirname(os.path.dirname(HERE)), "golden", "rewrite", "Inputs")
sys.path[:0] = [HERE, INPUTS]
import emulate
import generate

CONFIGURATIONS = 8
SHAPES = 2
SIZES = [1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 31, 32, 33, 48, 64, 96, 100, 128, 200, 256, 257, 512]
MOST_ELEMENTS = 16384
MOST_DROPPED = 0.2


@functools.lru_cache(maxsize=100000)
def compiled(text):
    return compile(emulate.translated(text), text, "eval")


def value(text, names):
    return int(eval(compiled(text), dict(emulate.FUNCTIONS), names))


emulate.value = value
emulate.ELEMENTS = MOST_ELEMENTS


def problem_of(region, chance):
    for _ in range(300):
        names = {name: chance.choice(SIZES) for name in region["variables"]}
        if emulate.fits(region, names):
            return names
    return {name: 4 for name in region["variables"]}


def configurations(template, problems, chance, is_guarded):
    """Few that have each value of each parameter, each with the number of its problem."""
    left = {(p["name"], v) for p in template["parameters"] for v in p["values"]}
    restrictions = [compiled(each["text"]) for each in template["restrictions"]]
    found, tries = [], 0
    while tries < 400 and len(found) < CONFIGURATIONS and (left or not found):
        best, gain = None, 0
        for _ in range(20):
            tries += 1
            at = chance.randrange(len(problems))
            names = {p["name"]: chance.choice([v for v in p["values"] if (p["name"], v) in left] or p["values"])
                     if chance.random() < 0.7 else chance.choice(p["values"]) for p in template["parameters"]}
            scope = {**problems[at], **names}
            new = len(left & set(names.items()))
            if (best is None or new > gain) and all(int(eval(each, dict(emulate.FUNCTIONS), scope)) for each in restrictions) and \
                    is_guarded(at, names):
                best, gain = (at, names), new
        if best is not None and (gain > 0 or not found):
            found.append(best)
            left -= set(best[1].items())
    return found


class Unit:
    """A program of many kernels. kernels: (number, text, exact)."""

    def __init__(self, kernels, options, chance_of=None):
        self.kernels, self.options, self.failures = kernels, options, []
        self.counts = {"kernels": len(kernels), "templates": 0, "variants": 0, "dropped": 0, "refused": 0}
        self.reasons = {}
        self.numbers = []

    def ask(self, verb, file):
        done = subprocess.run([self.options.clang, verb, "--file", file, "--toolkit", self.options.toolkit, "--", "-std=c++17"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"ktcc-clang {verb} ended with {done.returncode}: {done.stderr[:500]}")
        return json.loads(done.stdout)

    def case(self, region, template, number, exact):
        """A function that runs the kernel and its variants. None: no configuration is legal."""
        chance = random.Random(f"{self.options.seed}:{number}:{self.options.first_case}")
        instance = region["instances"][template["instance"]]
        arguments = emulate.bound(region, template["instance"])
        problems = [problem_of(region, chance) for _ in range(SHAPES)]
        shift = [chance.choice([0, 1]) for _ in problems]
        scopes, guards = [], [compiled(each["text"]) for each in template["guards"]]
        for at, problem in enumerate(problems):
            names = {**emulate.constants(region), **problem}
            for i, (argument, element) in enumerate(zip(region["arguments"], instance["elements"])):
                if argument["is_pointer"]:
                    buffer = next(each for each in region["buffers"] if each["argument"] == i)
                    count = max(1, value(buffer["count"], problem))
                    names["at_" + argument["name"]] = -count * emulate.SIZE[element] % emulate.PAGE if shift[at] else 0
                elif i in arguments:
                    names[argument["name"]] = problem[arguments[i]]
            scopes.append(names)
        chosen = configurations(template, scopes, chance, lambda at, names: all(
            int(eval(each, dict(emulate.FUNCTIONS), {**scopes[at], **names})) for each in guards))
        if not chosen:
            return None
        out, head = [f"static int case_{number}()\n{{"], []
        variants = []
        for at, problem in enumerate(problems):
            mine = [(k, names) for k, (which, names) in enumerate(chosen) if which == at]
            if mine:
                out += ["{"] + self.body(region, template, instance, arguments, scopes[at], shift[at], number, mine, exact, variants) + ["}"]
        out += ["return 0;\n}"]
        for k, (_, names) in enumerate(chosen):
            head += [emulate.render(template[part], names, f"v{number}_{k}") for part in ("helpers", "head", "body")]
        self.configurations[number] = [(problems[at], names) for at, names in chosen]
        self.counts["variants"] += len(chosen)
        return "\n".join(head + out)

    def body(self, region, template, instance, arguments, names, shift, number, mine, exact, variants):
        lines, lists, checks = [], {"a": [], "b": [], "c": []}, []
        for i, (argument, element) in enumerate(zip(region["arguments"], instance["elements"])):
            kind = emulate.TYPES[element]
            if argument["is_pointer"]:
                buffer = next(each for each in region["buffers"] if each["argument"] == i)
                count = max(1, value(buffer["count"], names))
                lines.append(f"fuzz_buffer<{kind}> a{i}({count}, {shift}, [&, at = 0]() mutable {{ return {emulate.fill(buffer, element)}; }});")
                for which in lists:
                    lists[which].append(f"a{i}.{which}")
                checks.append((i, buffer, argument["name"]))
                continue
            if i not in arguments:
                raise RuntimeError(f"kernel {number}: argument {argument['name']} is not known")
            lines.append(f"{kind} a{i} = {names[argument['name']]};")
            for which in lists:
                lists[which].append(f"a{i}")
        for symbol in [b for b in region["buffers"] if b["argument"] < 0]:
            lines.append(f"for (auto &each : {symbol['name']}) emu_set(each, {emulate.fill(symbol, 'i')});")
        steps = region.get("steps") or [{"grid": region["grid"], "block": region["block"], "arguments": range(len(region["arguments"])),
                                         "instances": {template["instance"]: instance["name"]}}]
        for which in ("a", "b"):
            lines.append(f"fuzz_at->variant = {-2 if which == 'a' else -1};")
            for step in steps:
                lines.append(f"launch({emulate.extents(step['grid'], names)}, {emulate.extents(step['block'], names)}, 1, [&] {{ "
                             f"{step['instances'][template['instance']]}({', '.join(lists[which][each] for each in step['arguments'])}); }});")
            lines += [f"if (!a{i}.is_kept(a{i}.{which})) return 2;" for i, _, _ in checks]
        lines += [f"if (!a{i}.same(a{i}.b, {str(exact).lower()}, \"{name} again\")) return 2;" for i, _, name in checks]
        for k, config in mine:
            scope = {**names, **config}
            lines.append(f"fuzz_at->variant = {k};")
            lines += [f"a{i}.again();" for i, _, _ in checks]
            lines.append(f"launch({emulate.extents(template['grid'], scope)}, {emulate.extents(template['block'], scope)}, "
                         f"{config.get('CLUSTER', 1)}, [&] {{ v{number}_{k}({', '.join(lists['c'])}); }});")
            for i, buffer, name in checks:
                lines.append(f"if (!a{i}.is_kept(a{i}.c)) {{ puts(\"{name}: written beside it\"); return 1; }}")
                if not buffer["scratch"] and buffer["direction"] != "scratch":
                    lines.append(f"if (!a{i}.same(a{i}.c, {str(exact).lower()}, \"{name}\")) return 1;")
        return lines

    def run(self, folder):
        self.configurations = {}
        file = os.path.join(folder, "unit.cu")
        with open(file, "w", encoding="utf-8") as out:
            out.write("#include <cuda_fp16.h>\n")
            where = []
            for number, text, _ in self.kernels:
                where.append(text.count("\n"))
                out.write(text)
        scan, rewrite = self.ask("scan", file), self.ask("rewrite", file)
        data = open(file, "rb").read()
        gone = set()
        for region in scan["regions"]:
            gone |= {at for begin, end in region["edits_of_launches"]} if "edits_of_launches" in region else set()
        drops = [{at for begin, end in region["drops"] for at in range(begin, end)} for region in scan["regions"]]
        text = data.decode()
        # The functions that launch: no processor runs them.
        text = re.sub(r"^void run\d+\(.*?\) \{ .*? \}$", "", text, flags=re.M)
        text = re.sub(r"^void run\d+\(.*?\)\n\{\n.*?^\}$", "", text, flags=re.M | re.S)
        text = re.sub(r"^#pragma ktune.*$", "", text, flags=re.M)
        lines = {}
        begin = 2
        for (number, body, exact), count in zip(self.kernels, where):
            for line in range(begin, begin + count):
                lines[line] = (number, exact)
            begin += count
        for refusal in rewrite["declined"]:
            self.counts["refused"] += 1
            self.reasons[refusal["reason"]] = self.reasons.get(refusal["reason"], 0) + 1
        for region in scan["regions"]:
            if region["decline"]:
                self.reasons["scan: " + region["decline"]] = self.reasons.get("scan: " + region["decline"], 0) + 1
        program, calls = [text], []
        for template in rewrite["templates"]:
            region = scan["regions"][template["region"]]
            number, exact = lines[region["line"]]
            exact = exact and "fast_math" not in template["rationale"]
            case = self.case(region, template, number, exact)
            self.counts["templates"] += 1
            if case is not None:
                program.append(case)
                calls.append(f"bad += fuzz_case({number}, case_{number});")
        program.append("int main()\n{\nint bad = 0;\nfuzz_begin();\n" + "\n".join(calls) + "\nreturn bad != 0;\n}\n")
        if calls:
            self.compile("\n".join(program), folder)

    def compile(self, program, folder):
        source, binary = os.path.join(folder, "unit.cpp"), os.path.join(folder, "unit.run")
        with open(source, "w", encoding="utf-8") as out:
            out.write(program)
        built = subprocess.run(["g++", "-std=c++17", "-O0", "-w", "-fpermissive", "-fno-strict-aliasing", "-fwrapv", "-include", "run.h",
                                "-I", self.options.headers, "-I", HERE, "-I", INPUTS, "-I", os.path.join(self.options.toolkit, "include"),
                                source, "-o", binary, "-pthread"], capture_output=True, text=True)
        if built.returncode != 0:
            if len(self.kernels) == 1:
                self.failures.append((self.kernels[0][0], "does not compile\n" + "\n".join(
                    line for line in built.stderr.splitlines() if "error" in line)[:1500]))
            else:
                self.halve(folder)
            return
        done = subprocess.run([binary], capture_output=True, text=True)
        said = []
        for line in done.stdout.splitlines():
            found = re.fullmatch(r"case (\d+) (same|dropped|wrong in variant (\d+).*)", line)
            if found and found.group(2) == "dropped":
                self.counts["dropped"] += 1
            elif found and found.group(3):
                number = int(found.group(1))
                problem, config = self.configurations[number][int(found.group(3))]
                self.failures.append((number, "\n".join(said + [line, f"problem {problem} configuration {config}"])))
            said = [] if found else said + [line]

    def halve(self, folder):
        """One of the kernels does not compile: which?"""
        middle = len(self.kernels) // 2
        for kernels in (self.kernels[:middle], self.kernels[middle:]):
            part = Unit(kernels, self.options)
            part.run(folder)
            self.failures += part.failures
            for name in ("dropped",):
                self.counts[name] += part.counts[name]


def precompile(options, folder):
    """What every unit begins with, read once."""
    options.headers = os.path.join(folder, "headers")
    os.mkdir(options.headers)
    subprocess.run(["g++", "-std=c++17", "-O0", "-w", "-fpermissive", "-fno-strict-aliasing", "-fwrapv", "-I", HERE, "-I", INPUTS,
                    "-I", os.path.join(options.toolkit, "include"), "-x", "c++-header", os.path.join(HERE, "run.h"), "-pthread",
                    "-o", os.path.join(options.headers, "run.h.gch")], check=True)


def fails(text, number, exact, options, folder):
    """What is wrong with the kernel, or None."""
    unit = Unit([(number, text, exact)], options)
    try:
        unit.run(folder)
    except (RuntimeError, KeyError, StopIteration):
        return None
    return unit.failures[0][1] if unit.failures else None


def without(lines, at):
    """The lines but for the statement that begins at one: a line, or up to the brace that closes it. None: it is none."""
    depth, end = 0, at
    while end < len(lines):
        depth += lines[end].count("{") - lines[end].count("}")
        if depth < 0:
            return None
        if depth == 0 and lines[end].rstrip().endswith((";", "}", ">")) and not lines[end].strip().startswith(("for", "if", "while", "} else")):
            break
        end += 1
    return lines[:at] + lines[end + 1:] if end < len(lines) else None


def shrink(text, number, exact, options, folder, seconds=120):
    """The kernel without what it fails without: the same kind of failure as at first."""
    lines, until = text.splitlines(), time.time() + seconds
    kind = (fails(text, number, exact, options, folder) or "").startswith("does not compile")
    at = 0
    while at < len(lines) and time.time() < until:
        fewer = without(lines, at)
        if fewer is None or "__global__" in lines[at] or lines[at].startswith(("#pragma", "void run")) or lines[at] in "{}":
            at += 1
            continue
        said = fails("\n".join(fewer) + "\n", number, exact, options, folder)
        if said is not None and said.startswith("does not compile") == kind:
            lines = fewer
        else:
            at += 1
    return "\n".join(lines) + "\n"


def keep(options, number, text, said):
    if options.keep is None:
        return ""
    os.makedirs(options.keep, exist_ok=True)
    path = os.path.join(options.keep, f"seed{options.seed}-{number}.cu")
    with open(path, "w", encoding="utf-8") as out:
        out.write("".join(f"// {line}\n" for line in said.splitlines()) + text)
    return path


def report(totals, reasons, began, times):
    share = totals["dropped"] / max(1, totals["templates"])
    print(f"{totals['kernels']} kernels, {totals['templates']} templates, {totals['variants']} variants, {totals['dropped']} dropped "
          f"({100 * share:.0f} %), {totals['failures']} failures, {time.time() - began:.0f} s, {sum(times) - sum(began_times):.0f} s of processor time")
    if reasons:
        print("declined: " + ", ".join(f"{name} {count}" for name, count in sorted(reasons.items(), key=lambda each: -each[1])))
    return share


began_times = os.times()[:4]


def search(options, folder):
    began, totals, reasons = time.time(), {"kernels": 0, "templates": 0, "variants": 0, "dropped": 0, "failures": 0}, {}
    first, end = options.first, options.first + options.count
    if options.state and os.path.exists(options.state):
        with open(options.state, encoding="utf-8") as state:
            done = json.load(state)
        if done["seed"] == options.seed:
            first, totals, reasons = done["next"], done["totals"], done["reasons"]
    while first < end and (options.seconds is None or time.time() < began + options.seconds):
        last = min(end, first + options.unit)
        kernels = []
        for number in range(first, last):
            made = generate.kernel(options.seed, number)
            kernels.append((number, made.text, made.exact))
        unit = Unit(kernels, options)
        unit.run(folder)
        for name in ("kernels", "templates", "variants", "dropped"):
            totals[name] += unit.counts[name]
        for name, count in unit.reasons.items():
            reasons[name] = reasons.get(name, 0) + count
        for number, said in unit.failures:
            totals["failures"] += 1
            text, exact = next((text, exact) for at, text, exact in kernels if at == number)
            if options.shrink_failures:
                text = shrink(text, number, exact, options, folder)
            print(f"kernel {number} of seed {options.seed}: {said}\n{keep(options, number, text, said)}", flush=True)
        first = last
        if options.state:
            with open(options.state + ".new", "w", encoding="utf-8") as state:
                json.dump({"seed": options.seed, "next": first, "totals": totals, "reasons": reasons}, state)
            os.replace(options.state + ".new", options.state)
    share = report(totals, reasons, began, os.times()[:4])
    return totals["failures"] == 0 and share < MOST_DROPPED


def run_files(options, folder):
    kernels = []
    for number, path in enumerate(sorted(glob.glob(os.path.join(options.files, "*.cu")))):
        text = open(path, encoding="utf-8").read()
        kernels.append((number, text, "// exact" in text, path))
    bad = 0
    for number, text, exact, path in kernels:
        said = fails(text, number, exact, options, folder)
        bad += said is not None
        if said is not None:
            print(os.path.basename(path), said)
    print(f"{len(kernels)} kernels, {bad} failures")
    return bad == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("clang")
    parser.add_argument("toolkit")
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--unit", type=int, default=40)
    parser.add_argument("--state")
    parser.add_argument("--keep")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--shrink", type=int)
    parser.add_argument("--shrink-failures", action="store_true")
    parser.add_argument("--files")
    options = parser.parse_args()
    options.first_case = 0
    with tempfile.TemporaryDirectory() as folder:
        precompile(options, folder)
        if options.shrink is not None:
            made = generate.kernel(options.seed, options.shrink)
            text = shrink(made.text, options.shrink, made.exact, options, folder, 600)
            print(text, fails(text, options.shrink, made.exact, options, folder))
            sys.exit(0)
        sys.exit(not (run_files if options.files else search)(options, folder))


if __name__ == "__main__":
    main()
