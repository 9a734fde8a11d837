#!/usr/bin/env python3
"""Runs templates by rules, or by the IR, beside the kernels that they came from, on the processor (emulate.h), and compares.

  emulate.py [--by rules|ir] [--configs N] [--shapes N] [--seed S] [--meet SYMBOL+N] [--keep FOLDER] [--with PARAMETER] KTCC_CLANG TOOLKIT FILE...

Shapes and configurations are random, of a seed; with a parameter, those alone in which it is not 0. Threads run in
random order from one meeting to the next, so that a missing barrier shows; with --meet, an array that a region writes
begins N elements behind the begin of this device symbol, where the region names it; buffers end at a page that nobody may touch, or begin where one does not align. Fails where a
variant gives another result, waits at two places, hides a name that the rules made up, or does not compile.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GROUPS = os.path.join(HERE, "../../../../clang_tools/groups")  # as the IR sees cooperative groups
TYPES = {"f32": "float", "f16": "__half", "bf16": "__nv_bfloat16", "f64": "double", "i32": "int", "u32": "unsigned",
         "i64": "long long", "u64": "unsigned long long", "i8": "int8_t", "u8": "uint8_t", "i16": "short",
         "u16": "unsigned short", "bool": "bool"}
DEVICE = {"max_threads_per_block": 1024, "multiprocessors": 2, "max_threads_per_multiprocessor": 2048, "max_blocks_per_multiprocessor": 32, "cc": 90,
          "shared_bytes_per_block": 49152}
FUNCTIONS = {"max": max, "min": min, "ceil_div": lambda a, b: -(-a // b), "aligned": lambda at, size: at % size == 0,
             "is_pow2": lambda a: a > 0 and a & (a - 1) == 0}
SIZE = {"f32": 4, "f16": 2, "bf16": 2, "f64": 8, "i32": 4, "u32": 4, "i64": 8, "u64": 8, "i8": 1, "u8": 1, "i16": 2,
        "u16": 2, "bool": 1}
TOLERANCE = {"f16": 4e-3, "bf16": 3e-2}
PAGE = 4096
SIZES = [1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 32, 33, 48, 64, 100, 128, 200, 256, 257, 512, 700, 1024]
THREADS = 4096
ELEMENTS = 60000


def translated(text):
    """An expression of the pragma's language, as one of Python."""
    text = re.sub(r"device\.(\w+)", lambda found: str(DEVICE[found.group(1)]), text)
    text = re.sub(r"\bdisjoint\((?:[^()]|\([^()]*\))*\)", "1", text)
    text = re.sub(r"\baligned\((\w+)", r"aligned(at_\1", text)  # the argument may be called `in`
    text = text.replace("&&", " and ").replace("||", " or ").replace("/", "//")
    text = re.sub(r"!(?!=)", " not ", text)
    return chosen(text).strip()


def outside(text, wanted):
    """Where one of these characters is, outside of all parentheses, in order."""
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0 and char in wanted:
            yield at, char


def chosen(text):
    """Conditions as Python writes them, in parentheses and in arguments too."""
    commas = [at for at, _ in outside(text, ",")]
    if commas:
        return ",".join(chosen(part) for part in (text[begin:end] for begin, end in zip([0] + [at + 1 for at in commas], commas + [len(text)])))
    first = next((at for at, char in outside(text, "?")), None)
    if first is not None:
        open_ones = 0
        for at, char in outside(text, "?:"):
            open_ones += 1 if char == "?" else -1
            if open_ones == 0:
                return f"(({chosen(text[first + 1:at])}) if ({chosen(text[:first])}) else ({chosen(text[at + 1:])}))"
    begin = text.find("(")
    if begin < 0:
        return text
    end = next(at for at, char in outside(text[begin:], ")") if char == ")") + begin
    return f"{text[:begin]}({chosen(text[begin + 1:end])}){chosen(text[end + 1:])}"


def value(text, names):
    return int(eval(translated(text), dict(FUNCTIONS), names))


def render(text, names, name):
    """Template text with its holes filled."""
    out, stack = [], [True]
    for token in re.split(r"(\$\{[^}]*\}|\$\$)", text):
        hole = token[2:-1] if token.startswith("${") else None
        if hole is None:
            out.append(("$" if token == "$$" else token) if all(stack) else "")
        elif hole.startswith("if "):
            stack.append(bool(all(stack) and value(hole[3:], names)))
        elif hole == "else":
            stack[-1] = not stack[-1]
        elif hole == "end":
            stack.pop()
        elif all(stack):
            if hole.startswith("= "):
                out.append(str(value(hole[2:], names)))
            elif hole.startswith("ktune:place:"):
                out.append(f'"", {hole.split(":")[2]}')
            elif hole.startswith("ktune:"):
                out.append(name + hole.removeprefix("ktune:kernel").replace("ktune:callee:", "_f"))
            else:
                out.append(str(names[hole]))
    # Nobody reads PTX here: what older devices get instead does the same.
    text = "".join(out).replace("#if __CUDA_ARCH__ >= 800\n", "#if 0\n")
    return text.replace('asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(x))', "root = sqrtf(x)")


def constants(region):
    return {each["name"]: each["integer"] for each in region["values"] if each["integral"]}


def fits(region, names):
    """Small enough, and as the user's restrictions say."""
    steps = region.get("steps") or [region]
    names = {**constants(region), **names}
    for step in steps:
        threads = 1
        for extent in step["grid"] + step["block"]:
            threads *= max(1, value(extent, names))
        if threads > THREADS:
            return False
    for each in region["restrictions"]:
        try:
            if not value(each, names):
                return False
        except NameError:  # an argument that is no problem variable
            pass
    return all(value(each["count"], names) <= ELEMENTS for each in region["buffers"])


def shape(region, chance):
    for _ in range(2000):
        names = {name: chance.choice(SIZES) for name in region["variables"]}
        if fits(region, names):
            return names
    return {name: 8 for name in region["variables"]}


def configurations(template, count, chance, problem, wanted=None):
    found = []
    for _ in range(4000):
        names = {each["name"]: chance.choice(each["values"]) for each in template["parameters"]}
        if len(found) < count and names not in found and (wanted is None or names.get(wanted, 0)) and \
                all(value(each["text"], {**problem, **names}) for each in template["restrictions"]):
            found.append(names)
    return found


def fill(buffer, element):
    kind, low, high = buffer["fill"]["kind"], buffer["fill"]["a"], buffer["fill"]["b"]
    if kind == "zeros":
        return "0"
    if kind in ("iota", "permutation"):
        return "(double)at++"
    if kind == "offsets":
        return f"(double)at++ * {low}"
    if kind == "sorted":
        return f"{low} + ({high} - {low}) * (double)at++ / {ELEMENTS}"
    if kind == "mask":
        return "from_int(0, 1)"
    if kind in ("range", "unique"):
        return f"from_int({low}, {high})"
    if kind == "uniform":
        return f"from_real({low}, {high})"
    return "from_real(-1, 1)" if element.startswith(("f", "bf")) else "from_int(0, 3)"


def filled(at, count, shift, buffer, element, kind):
    """Three buffers of the same data; of vectors and structures number by number."""
    if not isinstance(element, dict):
        return [f"{TYPES[element]} *a{at}, *b{at}, *c{at}; emu_buffers({count}, {shift}, a{at}, b{at}, c{at}, "
                f"[&, at = 0]() mutable {{ return {fill(buffer, element)}; }});"]
    kind = re.sub(r"^const | ?\(?\*.*$", "", kind)
    lines = [f"unsigned char *r{at}, *s{at}, *t{at}; emu_buffers({count * element['bytes']}, {shift}, r{at}, s{at}, t{at}, [] {{ return 0; }});"]
    for each in element["numbers"]:
        lines.append(f"{{ int at = 0; (void)at; for (size_t i = 0; i < {count}; i++) emu_set(*({TYPES[each['element']]} *)"
                     f"(r{at} + i * {element['bytes']} + {each['offset']}), {fill(buffer, each['element'])}); }}")
    return lines + [f"memcpy(s{at}, r{at}, {count * element['bytes']}); memcpy(t{at}, r{at}, {count * element['bytes']}); "
                    f"{kind} *a{at} = ({kind} *)r{at}, *b{at} = ({kind} *)s{at}, *c{at} = ({kind} *)t{at}; (void)c{at};"]


def compared(at, count, buffer, element):
    name = buffer["name"]
    if buffer["direction"] == "in":
        return [f"bad += memcmp(b{at}, c{at}, {count} * sizeof *b{at}) != 0;"]
    if buffer["scratch"] or buffer["direction"] == "scratch":
        return []
    limit = lambda kind: f"{max(TOLERANCE.get(kind, 1e-4), buffer['absolute'])}, {max(TOLERANCE.get(kind, 1e-4), buffer['relative'])}"
    if not isinstance(element, dict):
        return [f'bad += emu_compare({count}, a{at}, b{at}, {limit(element)}, "{name}");']
    return [f"for (size_t i = 0; i < {count} && !bad; i++) bad += emu_compare(1, ({TYPES[each['element']]} *)(r{at} + i * {element['bytes']} + "
            f"{each['offset']}), ({TYPES[each['element']]} *)(s{at} + i * {element['bytes']} + {each['offset']}), "
            f"{limit(each['element'])}, \"{name}.{each['name']}\");" for each in element["numbers"]]


def extents(texts, names):
    return "dim3(%s)" % ", ".join(str(value(each, names)) for each in (list(texts) + ["1"] * 3)[:3])


def bound(region, instance):
    """Arguments that are problem variables."""
    found = {}
    for launch in region["launches"]:
        if launch["instance"] in (instance, -1):
            found |= {each["argument"]: name for name, each in zip(region["variables"], launch["bindings"])
                      if each["argument"] >= 0}
    return found


def case(region, template, problem, config, shift, number, meet):
    """A function that runs both and compares; None: a guard does not hold, or an argument is not known. shift: buffers
    end at a page, else they begin at one."""
    instance = region["instances"][template["instance"]]
    arguments, names = bound(region, template["instance"]), {**constants(region), **problem}
    what = json.dumps(json.dumps([template["region"], template["instance"], problem, config, shift]))
    lines, compare, here, there = [], [], [], []
    for at, (argument, element) in enumerate(zip(region["arguments"], instance["elements"])):
        if argument["is_pointer"]:
            buffer = next(each for each in region["buffers"] if each["argument"] == at)
            count = max(1, value(buffer["count"], problem))
            size = element["bytes"] if isinstance(element, dict) else SIZE[element]
            names["at_" + argument["name"]] = -count * size % PAGE if shift else 0
            lines += filled(at, count, shift, buffer, element, instance["types"][at])
            compare += compared(at, count, buffer, element)
            cast = f"({instance['types'][at]})" if "(*)" in instance["types"][at] or "void" in instance["types"][at] else ""
            here.append(f"{cast}a{at}")
            there.append(f"{cast}b{at}")
            continue
        if element == "none" and instance.get("bytes", [0] * (at + 1))[at] == 1:
            here.append(f"{instance['types'][at]}()")  # a class without members
            there.append(here[-1])
            continue
        kind = TYPES[element]
        given = next((each for each in region["values"] if each["argument"] == at), None)
        if at not in arguments and given is None:
            return None
        lines.append(f"{kind} a{at} = {problem[arguments[at]] if at in arguments else given['text']};")
        here.append(f"a{at}")
        there.append(f"a{at}")
        if at in arguments:
            names[argument["name"]] = problem[arguments[at]]
    symbol, _, behind = meet.partition("+")
    written = next((each for each in region["buffers"] if each["argument"] >= 0 and each["direction"] != "in"), None)
    meets = None
    if written and any(each["argument"] < 0 and each["name"] == symbol for each in region["buffers"]):
        meets = written["argument"]
        lines.append(f"emu_meeting met = emu_meet({symbol}, {max(1, value(written['count'], problem))}, {behind or 0}, "
                     f"a{meets}, b{meets});")
    scope = {**names, **config}
    if not all(value(each["text"], scope) for each in template["guards"]):
        return None
    steps = region.get("steps") or [{"grid": region["grid"], "block": region["block"], "arguments": range(len(here)),
                                     "instances": {template["instance"]: instance["name"]}}]
    for step in steps:
        lines.append(f"launch({extents(step['grid'], names)}, {extents(step['block'], names)}, 1, [&] {{ "
                     f"{step['instances'][template['instance']]}"
                     f"({', '.join(here[each] for each in step['arguments'])}); }});")
    if meets is not None:
        lines.append("emu_ran(met);")
    lines.append(f"launch({extents(template['grid'], scope)}, {extents(template['block'], scope)}, "
                 f"{config.get('CLUSTER', 1)}, [&] {{ v{number}({', '.join(there)}); }});")
    if meets is not None:
        lines.append(f"emu_show(met, a{meets});")
    return "\n".join([f"static int case_{number}()\n{{\nint bad = 0;\nemu_launched.clear();", *lines, *compare,
                      f'if (bad) printf("other results: %s\\n", {what});\nreturn bad;\n}}'])


class Session:
    """`ktcc-clang serve` of a file."""

    def __init__(self, options, file):
        command = [options.clang, "serve", "--file", file, "--toolkit", options.toolkit, "--", "-std=c++17"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def specialised(session, template, config):
    """The template's text for a configuration."""
    if not template.get("specialised"):
        return template
    values = [config[parameter["name"]] for parameter in template["parameters"]]
    return session.ask(verb="specialise", region=template["region"], instance=template["instance"], values=values)


def program(file, scan, rewrite, options, session):
    """(source, number of cases, of those with EVEN, and how many of these guards turned away)"""
    chance = random.Random(options.seed)
    gone = set.intersection(*[{at for begin, end in region["drops"] for at in range(begin, end)}
                              for region in scan["regions"] if region["decline"] is None])
    text = bytes(32 if at in gone and char != 10 else char for at, char in enumerate(open(file, "rb").read())).decode()
    out = ['#include "emulate.h"', re.sub(r"\bstatic __shared__", "__shared__", text)]
    count = even = turned = 0
    for template in rewrite["templates"]:
        region = scan["regions"][template["region"]]
        for _ in range(options.shapes):
            problem = shape(region, chance)
            for config in configurations(template, options.configs, chance, {**constants(region), **problem}, options.with_parameter):
                test = case(region, template, problem, config, chance.choice([0, 1]), count, options.meet)
                if test is None:
                    turned += config.get("EVEN", 0)
                    continue
                even += config.get("EVEN", 0)
                text = specialised(session, template, config)
                out += [render(text[part], config, f"v{count}") for part in ("helpers", "head", "body")] + [test]
                count += 1
    calls = " + ".join(f"case_{each}()" for each in range(count))
    return "\n".join(out +
                     [f"int main() {{ setvbuf(stdout, nullptr, _IOLBF, 0); return ({calls or '0'}) != 0; }}\n"]), count, even, turned


def sized(text):
    """Shared arrays whose size a launch gives: one array of a kernel, of any number of elements that a test may need."""
    return re.sub(r"\bextern __shared__ ((?:volatile )?\w+) (\w+)\[\];", r"__shared__ \1 \2[4096];", text)


def run(options, file, folder):
    session = Session(options, file)
    answers = [session.ask(verb=verb) for verb in ("scan", {"rules": "rewrite", "ir": "generate"}[options.by])]
    name = os.path.basename(file)
    source, binary = os.path.join(folder, name + ".cpp"), os.path.join(folder, name + ".run")
    if not answers[1]["templates"]:
        print(name, "no template")
        session.close()
        return True
    text, count, even, turned = program(file, *answers, options, session)
    session.close()
    with open(source, "w", encoding="utf-8") as out:
        out.write(sized(text))
    built = subprocess.run(["g++", "-std=c++17", "-O1", "-Wshadow=local", "-fpermissive", "-fno-strict-aliasing", "-I", HERE, "-I", GROUPS, "-I",
                            os.path.dirname(os.path.abspath(file)), "-I", os.path.join(options.toolkit, "include"),
                            source,
                            "-o", binary, "-pthread"], capture_output=True, text=True)
    if built.returncode != 0:
        print(name, "does not compile\n" + built.stderr[:2000])
        return False
    own = open(file, encoding="utf-8").read()
    for hidden in re.findall(r"declaration of ‘(?:.*\W)?(\w+)’ shadows.*", built.stderr):
        # A helper's step has its parameter's name.
        if not re.search(rf"\b{hidden}\b", own) and not re.fullmatch(r"value\d*", hidden):
            print(name, f"declares '{hidden}' where there is one")
            return False
    done = subprocess.run([binary], capture_output=True, text=True, timeout=300)
    print(name, count, "same" if done.returncode == 0 else f"exit {done.returncode}\n{done.stdout[:2000]}")
    if even + turned > 0:
        print(name, even, "even,", turned, "turned away")
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser()
    for name, default in (("configs", 4), ("shapes", 3), ("seed", 1)):
        parser.add_argument("--" + name, type=int, default=default)
    parser.add_argument("--by", default="rules", choices=("rules", "ir"))
    parser.add_argument("--keep")
    parser.add_argument("--meet", default="")
    parser.add_argument("--with", dest="with_parameter")
    parser.add_argument("clang")
    parser.add_argument("toolkit")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(not all([run(options, file, options.keep or folder) for file in options.files]))


if __name__ == "__main__":
    main()
