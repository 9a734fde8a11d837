#!/usr/bin/env python3
"""Random kernels (generate.py), and every feasible variant of each beside it, on the processor (emulate.h).

  run.py --count N [--by rules|ir] [--seed S] [--first N] [--unit N] [--state FILE] [--keep FOLDER] [--seconds N] KTCC_CLANG TOOLKIT
  run.py --shrink INDEX|FILE [--seed S] KTCC_CLANG TOOLKIT
  run.py --files FOLDER KTCC_CLANG TOOLKIT

A kernel runs as written three times, with its threads and blocks in other orders: one that faults, never ends, gives two
results or has a race in global memory (races.h) is dropped, and counted. Then at most 8 configurations of its template, chosen
so that each value of each parameter occurs where the restrictions allow it, on two problems, in one of which fractions have
special values; results must be the same, to the last bit except for sums of fractions, and no byte outside of a buffer may
change. With a state file, a further call goes on after the last unit. A failure is reduced and written to FOLDER; --files runs
the kernels of a folder instead of random ones.
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

SYMBOL_ELEMENT = 4  # bytes: float or int
SYMBOL_BYTES = 4 * generate.SYMBOL_ELEMENTS
CONFIGURATIONS = 8
SHAPES = 2
OVERLAPS = 8
SIZES = [1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 31, 32, 33, 48, 64, 96, 100, 128, 200, 256, 257, 512]
MOST_ELEMENTS = 16384
MOST_DROPPED = 0.2
# Each access is a call, which races.h answers: nothing is linked for it.
FLAGS = ["-std=c++17", "-O0", "-w", "-fpermissive", "-fno-strict-aliasing", "-fwrapv", "-fsanitize=thread", "--param",
         "tsan-instrument-func-entry-exit=0"]


def addressed(text):
    """disjoint(p, n, q, m), where buffers may overlap, as a call that is given addresses and sizes of elements."""
    while (begin := text.find("disjoint(")) >= 0:
        at, depth, arguments = begin + len("disjoint("), 0, [""]
        while depth >= 0:
            depth += (text[at] == "(") - (text[at] == ")")
            if text[at] == "," and depth == 0:
                arguments.append("")
            elif depth >= 0:
                arguments[-1] += text[at]
            at += 1
        p, n, q, m = (each.strip() for each in arguments)
        text = f"{text[:begin]}apart(at_{p}, ({n}) * size_{p}, at_{q}, ({m}) * size_{q}){text[at:]}"
    return text


FUNCTIONS = {**emulate.FUNCTIONS, "apart": lambda a, n, b, m: int(a + n <= b or b + m <= a)}


@functools.lru_cache(maxsize=100000)
def compiled(text):
    return compile(emulate.translated(addressed(text)), text, "eval")


def value(text, names):
    return int(eval(compiled(text), FUNCTIONS, names))


emulate.value = value
emulate.ELEMENTS = MOST_ELEMENTS


def problem_of(region, chance):
    for _ in range(300):
        names = {name: chance.choice(SIZES) for name in region["variables"]}
        if emulate.fits(region, names):
            return names
    return {name: 4 for name in region["variables"]}


class Problem:
    """Values of a region's variables, and where its buffers are. overlaps: one of them in another, or in a symbol, where
    nothing forbids that; `inside` is None where there is no such pair."""

    def __init__(self, region, template, chance, overlaps=False, exact=False, special=False):
        self.variables, self.shift, self.inside = problem_of(region, chance), chance.choice([0, 1]), None
        self.special = special
        self.arguments = emulate.bound(region, template["instance"])
        elements = region["instances"][template["instance"]]["elements"]
        self.names, self.counts, page = {**emulate.constants(region), **self.variables}, {}, 1
        for i, (argument, element) in enumerate(zip(region["arguments"], elements)):
            if argument["is_pointer"]:
                buffer = next(each for each in region["buffers"] if each["argument"] == i)
                count = self.counts[buffer["name"]] = max(1, value(buffer["count"], self.variables))
                size = self.names["size_" + argument["name"]] = emulate.SIZE[element]
                self.names["at_" + argument["name"]] = (page << 24) + (-count * size % emulate.PAGE if self.shift else 0)
                page += 1
            elif i in self.arguments:
                self.names[argument["name"]] = self.variables[self.arguments[i]]
        if overlaps:
            self.overlap(region, elements, exact, chance)

    def overlap(self, region, elements, exact, chance):
        pointers = [each for each in region["buffers"] if each["argument"] >= 0 and
                    not region["arguments"][each["argument"]]["is_restrict"]]
        symbols = [each for each in region["buffers"] if each["argument"] < 0 and each["name"].startswith("symbol") and
                   each["count"] != "16"]
        # Elements of a symbol have the type that the generator names: float or int, like the pointer's. Others are compared
        # as what the outer buffer holds, where no rounding is; the values of another type are in no declared range.
        of = lambda each: elements[each["argument"]]
        pairs = [(a, b) for a in pointers for b in pointers + symbols if a is not b and
                 ("in" != a["direction"] or "in" != b["direction"]) and
                 (emulate.SIZE[of(a)] == SYMBOL_ELEMENT if b["argument"] < 0 else
                  of(a) == of(b) or exact and "bool" not in (of(a), of(b)) and
                  a["fill"]["kind"] != "range" != b["fill"]["kind"])]
        if not pairs:
            return
        inner, outer = chance.choice(pairs)
        count, name, size = self.counts[inner["name"]], inner["name"], emulate.SIZE[of(inner)]
        if outer["argument"] < 0:
            offset = chance.choice([0, 0, 1, 3, 4])
            if count + offset > SYMBOL_BYTES // size:
                return
            self.names["at_" + name] = (1 << 40) + offset * size
        else:
            outer_size, outer_count = emulate.SIZE[of(outer)], self.counts[outer["name"]]
            reach = max(outer_count * outer_size // size, 1)
            offset = chance.choice([0, 0, 0, 1, 2, 4, 32, 64, 128, reach // 2, reach - 1])
            # What a scratch buffer holds is not compared: it must not be all that a place of the outer one is for.
            if (inner["scratch"] or inner["direction"] == "scratch") and offset + count > reach:
                return
            step = max(1, size // outer_size)  # elements of the outer one, so that the inner one is aligned
            self.counts[outer["name"]] = -(-max(outer_count, -(-(offset + count) * size // outer_size)) // step) * step
            whole = self.counts[outer["name"]] * outer_size
            self.names["at_" + outer["name"]] = (1 << 40) + (-whole % emulate.PAGE if self.shift else 0)
            self.names["at_" + name] = self.names["at_" + outer["name"]] + offset * size
        self.inside = (name, outer["name"], offset)


def configurations(template, problems, chance, is_guarded, most):
    """Few that have each value of each parameter, each with the number of its problem."""
    left = {(p["name"], v) for p in template["parameters"] for v in p["values"]}
    restrictions = [compiled(each["text"]) for each in template["restrictions"]]
    found, tries = [], 0
    while tries < 400 and len(found) < most and (left or not found):
        best, gain = None, 0
        for _ in range(20):
            tries += 1
            at = chance.randrange(len(problems))
            names = {p["name"]: chance.choice([v for v in p["values"] if (p["name"], v) in left] or p["values"])
                     if chance.random() < 0.7 else chance.choice(p["values"]) for p in template["parameters"]}
            scope = {**problems[at], **names}
            new = len(left & set(names.items()))
            if (best is None or new > gain) and all(int(eval(each, FUNCTIONS, scope)) for each in restrictions) and \
                    is_guarded(at, names):
                best, gain = (at, names), new
        if best is not None and (gain > 0 or not found):
            found.append(best)
            left -= set(best[1].items())
    return found


def filled(buffer, element, special):
    """The same as emulate.fill, as data. special: with values that a fill of fractions does not rule out."""
    kind, low, high = buffer["fill"]["kind"], buffer["fill"]["a"], buffer["fill"]["b"]
    real = "FUZZ_SPECIAL" if special else "FUZZ_REAL"
    if kind == "zeros":
        return "FUZZ_ZEROS, 0, 0"
    if kind in ("iota", "permutation"):
        return "FUZZ_IOTA, 0, 0"
    if kind == "mask":
        return "FUZZ_INT, 0, 1"
    if kind in ("range", "unique", "uniform"):
        return f"{real if kind == 'uniform' else 'FUZZ_INT'}, {low}, {high}"
    return f"{real}, -1, 1" if element.startswith(("f", "bf")) else "FUZZ_INT, 0, 3"


class Unit:
    """A program of many kernels. kernels: (number, text, exact)."""

    def __init__(self, kernels, options, chance_of=None):
        self.kernels, self.options, self.failures = kernels, options, []
        self.counts = {"kernels": len(kernels), "templates": 0, "variants": 0, "dropped": 0, "raced": 0, "refused": 0, "overlapping": 0}
        self.reasons = {}

    def ask(self, verb):
        answer = self.session.ask(verb=verb)
        if "failed" in answer:
            raise RuntimeError(f"ktcc-clang {verb}: {answer['failed']}")
        return answer

    def case(self, region, template, number, exact, at_case):
        """The variants, and a function that runs the kernel and them. None: no configuration is legal."""
        chance = random.Random(f"{self.options.seed}:{number}:{self.options.first_case}")
        instance = region["instances"][template["instance"]]
        guards = [compiled(each["text"]) for each in template["guards"]]
        problems = [Problem(region, template, chance, special=at == SHAPES - 1) for at in range(SHAPES)]
        overlapping = Problem(region, template, chance, True, exact)
        is_guarded = lambda scope: lambda at, names: all(int(eval(each, FUNCTIONS, {**scope[at], **names})) for each in guards)
        chosen = configurations(template, [each.names for each in problems], chance,
                                is_guarded([each.names for each in problems]), CONFIGURATIONS - (overlapping.inside is not None))
        if not chosen:
            return None
        for _ in range(OVERLAPS if overlapping.inside is not None else 0):
            # Guards keep most variants from most overlaps.
            if overlapping.inside is not None and (found := configurations(
                    template, [overlapping.names], chance, is_guarded([overlapping.names]), CONFIGURATIONS - len(chosen))):
                chosen += [(SHAPES, config) for _, config in found]
                self.counts["overlapping"] += 1
                break
            overlapping = Problem(region, template, chance, True, exact)
        out, head = [f"static int case_{at_case}()\n{{"], []
        for at, problem in enumerate(problems + [overlapping]):
            mine = [(k, names) for k, (which, names) in enumerate(chosen) if which == at]
            if mine:
                out += ["do {"] + self.body(region, template, instance, problem, at_case, mine, exact) + ["} while (0);"]
        out += ["return 0;\n}"]
        problems = [each.variables for each in problems + [overlapping]]
        for k, (_, names) in enumerate(chosen):
            text = emulate.specialised(self.session, template, names)
            head += [emulate.render(text[part], names, f"v{at_case}_{k}") for part in ("helpers", "head", "body")]
        self.configurations[at_case] = [(problems[at], names) for at, names in chosen]
        self.counts["variants"] += len(chosen)
        return "\n".join(head + out)

    def body(self, region, template, instance, problem, at_case, mine, exact):
        names, buffers, values, places = problem.names, [], [], {}
        given = {each["argument"]: each["text"] for each in region["values"]}
        for i, (argument, element) in enumerate(zip(region["arguments"], instance["elements"])):
            kind = emulate.TYPES[element]
            if argument["is_pointer"]:
                buffer = next(each for each in region["buffers"] if each["argument"] == i)
                places[buffer["name"]] = len(buffers)
                compared = not buffer["scratch"] and buffer["direction"] != "scratch"
                values.append(f"({kind} *)a[{len(buffers)}].at")
                buffers.append([f"&fuzz_of<{kind}>::is", f'"{argument["name"]}"', problem.counts[buffer["name"]], problem.shift, int(compared),
                                filled(buffer, element, problem.special), "nullptr", -1, 0])
            elif i in problem.arguments:
                values.append(f"({kind}){names[argument['name']]}")
            elif i in given:
                values.append(f"({kind}){given[i]}")
            else:
                raise RuntimeError(f"argument {argument['name']} is not known")
        for symbol in [b for b in region["buffers"] if b["argument"] < 0]:
            places[symbol["name"]] = len(buffers)
            kind = f"std::remove_cv_t<std::remove_reference_t<decltype({symbol['name']}[0])>>"
            buffers.append([f"&fuzz_of<{kind}>::is", f'"{symbol["name"]}"', f"sizeof {symbol['name']} / sizeof {symbol['name']}[0]", 1, 1,
                            filled(symbol, "i", False), f"(char *){symbol['name']}", -1, 0])
        if problem.inside is not None:
            inner, outer, offset = problem.inside
            buffers[places[inner]][-2:] = [places[outer], offset]
        buffers = ["{" + ", ".join(map(str, each)) + "}" for each in buffers]
        lines = []
        count, exact = len(buffers), str(exact).lower()
        lines += [f"fuzz_buffer a[] = {{{', '.join(buffers)}}};", f"fuzz_make(a, {count});"]
        steps = region.get("steps") or [{"grid": region["grid"], "block": region["block"], "arguments": range(len(region["arguments"])),
                                         "instances": {template["instance"]: instance["name"]}}]
        lines.append("for (int which : {-2, -1, -3}) {")
        lines.append(f"fuzz_as(a, {count}, which);")
        for step in steps:
            lines.append(f"launch({emulate.extents(step['grid'], names)}, {emulate.extents(step['block'], names)}, 1, [&] {{ "
                         f"{step['instances'][template['instance']]}({', '.join(values[each] for each in step['arguments'])}); }});")
        # In ascending, descending and random order. Memory that overlaps may be none that the kernel is made for.
        gone = "{ raced = true; break; }" if problem.inside is not None else "return bad;"
        lines.append(f"if (const int bad = fuzz_check(a, {count}, {exact})) {gone}\n}}")
        if problem.inside is not None:
            lines[lines.index("for (int which : {-2, -1, -3}) {")] = "bool raced = false;\nfor (int which : {-2, -1, -3}) {"
            lines.append("if (raced) break;")
        for k, config in mine:
            scope = {**names, **config}
            lines.append(f"fuzz_as(a, {count}, {k});")
            lines.append(f"launch({emulate.extents(template['grid'], scope)}, {emulate.extents(template['block'], scope)}, "
                         f"{config.get('CLUSTER', 1)}, [&] {{ v{at_case}_{k}({', '.join(values)}); }});")
            lines.append(f"if (const int bad = fuzz_check(a, {count}, {exact})) return bad;")
        return lines

    def run(self, folder):
        self.configurations = {}
        file, line, lines = os.path.join(folder, "unit.cu"), 2, {}
        with open(file, "w", encoding="utf-8") as out:
            out.write("#include <cuda_fp16.h>\n")
            for number, text, exact in self.kernels:
                out.write(text)
                lines.update({line + at: (number, exact) for at in range(text.count("\n"))})
                line += text.count("\n")
        self.session = emulate.Session(self.options, file)
        scan, rewrite = self.ask("scan"), self.ask({"rules": "rewrite", "ir": "generate"}[self.options.by])
        self.counts["refused"] += len(rewrite["declined"])
        for reason in [each["reason"] for each in rewrite["declined"]] + \
                ["scan: " + each["decline"] for each in scan["regions"] if each["decline"]]:
            self.reasons[reason] = self.reasons.get(reason, 0) + 1
        cases = []
        for at, template in enumerate(rewrite["templates"]):
            region = scan["regions"][template["region"]]
            number, exact = lines[region["line"]]
            case = self.case(region, template, number, exact and "fast_math" not in template["rationale"], at)
            self.counts["templates"] += 1
            if case is not None:
                cases.append((number, at, case))
        self.session.close()
        while cases and (wrong := self.compile(cases, folder)):
            cases = [each for each in cases if each[0] not in wrong]

    def compile(self, cases, folder):
        """Builds and runs the kernels that have variants. Returns those that do not compile: none, when all others ran."""
        source, binary = os.path.join(folder, "unit.cpp"), os.path.join(folder, "unit.run")
        numbers, owner = {number for number, _, _ in cases}, []
        with open(source, "w", encoding="utf-8") as out:
            parts = [(number, device_text(text)) for number, text, _ in self.kernels if number in numbers]
            parts += [(number, case) for number, _, case in cases]
            for number, part in parts:
                out.write(part + "\n")
                owner += [number] * (part.count("\n") + 1)
            calls = "".join(f"bad += fuzz_case({at}, case_{at});\n" for _, at, _ in cases)
            out.write(f"int main()\n{{\nint bad = 0;\nfuzz_begin();\n{calls}return bad != 0;\n}}\n")
        built = subprocess.run(["g++", *FLAGS, "-include", "run.h", "-I", self.options.headers, "-I", HERE, "-I", INPUTS,
                                "-I", os.path.join(self.options.toolkit, "include"), "-c", source, "-o", binary + ".o"],
                               capture_output=True, text=True)
        if built.returncode == 0:
            subprocess.run(["g++", binary + ".o", "-o", binary, "-pthread"], check=True)
        if built.returncode != 0:
            wrong = {}
            # An error, or where a template of a header was used that has one.
            for line, said in re.findall(r"unit\.cpp:(\d+):\d+: +(error: .*|required from here)", built.stderr):
                if int(line) <= len(owner):
                    wrong.setdefault(owner[int(line) - 1], []).append(said)
            if not wrong:
                raise RuntimeError("the unit does not compile: " + built.stderr[:2000])
            self.failures += [(number, "does not compile\n" + "\n".join(said[:8])) for number, said in wrong.items()]
            return set(wrong)
        done = subprocess.run([binary], capture_output=True, text=True)
        owners, said, finished = {at: number for number, at, _ in cases}, [], 0
        for line in done.stdout.splitlines():
            found = re.fullmatch(r"case (\d+) (same|dropped|raced|wrong in variant (\d+).*)", line)
            finished += found is not None
            if found and found.group(2) in ("dropped", "raced"):
                self.counts[found.group(2)] += 1
            elif found and found.group(3):
                at = int(found.group(1))
                problem, config = self.configurations[at][int(found.group(3))]
                self.failures.append((owners[at], "\n".join(said + [line, f"problem {problem} configuration {config}"])))
            said = [] if found else said + [line]
        if finished != len(cases):
            raise RuntimeError(f"{finished} of {len(cases)} kernels ran: {done.stdout[-500:]}")
        return set()


def device_text(text):
    """A kernel's text but for the functions that launch, which no processor runs."""
    text = re.sub(r"^void run\d+\(.*?\) \{ .*? \}$", "", text, flags=re.M)
    text = re.sub(r"^void run\d+\(.*?\)\n\{\n.*?^\}$", "", text, flags=re.M | re.S)
    return re.sub(r"^#pragma ktune.*$", "", text, flags=re.M)


def precompile(options, folder):
    """What every unit begins with, read once."""
    options.headers = os.path.join(folder, "headers")
    os.mkdir(options.headers)
    subprocess.run(["g++", *FLAGS, "-I", HERE, "-I", INPUTS, "-I", os.path.join(options.toolkit, "include"), "-x", "c++-header",
                    os.path.join(HERE, "run.h"), "-o", os.path.join(options.headers, "run.h.gch")], check=True)


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


def data_of(path, options):
    """(seed, number) that a kernel's data and configurations are made of, from the name of its file: as when it was found."""
    found = re.search(r"seed(\d+)-(\d+)\.cu$", path)
    return (int(found.group(1)), int(found.group(2))) if found else (options.seed, 0)


def keep(options, number, text, exact, said):
    if options.keep is None:
        return ""
    os.makedirs(options.keep, exist_ok=True)
    path = os.path.join(options.keep, f"seed{options.seed}-{number}.cu")
    with open(path, "w", encoding="utf-8") as out:
        out.write(("// exact\n" if exact else "") + "".join(f"// {line}\n" for line in said.splitlines()) + text)
    return path


def report(totals, reasons, began, times):
    share = (totals["dropped"] + totals["raced"]) / max(1, totals["templates"])
    print(f"{totals['kernels']} kernels, {totals['templates']} templates, {totals['variants']} variants, "
          f"{totals['overlapping']} with buffers that overlap, {totals['dropped']} dropped and {totals['raced']} with races "
          f"({100 * share:.0f} %), {totals['failures']} failures, {time.time() - began:.0f} s, "
          f"{sum(times) - sum(began_times):.0f} s of processor time")
    if reasons:
        print("declined: " + ", ".join(f"{name} {count}" for name, count in sorted(reasons.items(), key=lambda each: -each[1])))
    return share


began_times = os.times()[:4]


def search(options, folder):
    began, totals, reasons = time.time(), {"kernels": 0, "templates": 0, "variants": 0, "overlapping": 0, "dropped": 0, "raced": 0,
                                           "failures": 0}, {}
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
        for name in ("kernels", "templates", "variants", "overlapping", "dropped", "raced"):
            totals[name] += unit.counts[name]
        for name, count in unit.reasons.items():
            reasons[name] = reasons.get(name, 0) + count
        for number, said in unit.failures:
            totals["failures"] += 1
            text, exact = next((text, exact) for at, text, exact in kernels if at == number)
            if options.shrink_failures:
                text = shrink(text, number, exact, options, folder)
            print(f"kernel {number} of seed {options.seed}: {said}\n{keep(options, number, text, exact, said)}", flush=True)
        first = last
        if options.state:
            with open(options.state + ".new", "w", encoding="utf-8") as state:
                json.dump({"seed": options.seed, "next": first, "totals": totals, "reasons": reasons}, state)
            os.replace(options.state + ".new", options.state)
    share = report(totals, reasons, began, os.times()[:4])
    return totals["failures"] == 0 and share < MOST_DROPPED


def run_files(options, folder):
    paths, bad, counts = sorted(glob.glob(os.path.join(options.files, "*.cu"))), 0, {"dropped": 0, "raced": 0}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        own = argparse.Namespace(**vars(options))
        own.seed, number = data_of(path, options)
        unit = Unit([(number, text, "// exact" in text)], own)
        unit.run(folder)
        bad += len(unit.failures) > 0
        for _, said in unit.failures:
            print(os.path.basename(path), said)
        for name in counts:
            counts[name] += unit.counts[name]
            if unit.counts[name] > 0:
                print(os.path.basename(path), name)
    print(f"{len(paths)} kernels, {bad} failures, {counts['dropped']} dropped, {counts['raced']} with races")
    return bad == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("clang")
    parser.add_argument("toolkit")
    parser.add_argument("--by", default="rules", choices=("rules", "ir"))
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--unit", type=int, default=100)
    parser.add_argument("--state")
    parser.add_argument("--keep")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--shrink")
    parser.add_argument("--shrink-failures", action="store_true")
    parser.add_argument("--files")
    options = parser.parse_args()
    options.first_case = 0
    with tempfile.TemporaryDirectory() as folder:
        precompile(options, folder)
        if options.shrink is not None:
            number, text, exact = 0, "", False
            if options.shrink.isdigit():
                number, made = int(options.shrink), generate.kernel(options.seed, int(options.shrink))
                text, exact = made.text, made.exact
            else:
                with open(options.shrink, encoding="utf-8") as kept:
                    text = kept.read()
                (options.seed, number), exact = data_of(options.shrink, options), "// exact" in text
            text = shrink(text, number, exact, options, folder, 600)
            print(text, fails(text, number, exact, options, folder))
            sys.exit(0)
        sys.exit(not (run_files if options.files else search)(options, folder))


if __name__ == "__main__":
    main()
