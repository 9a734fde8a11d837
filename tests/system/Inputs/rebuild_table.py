#!/usr/bin/env python3
"""Which objects are compiled again after what happened to entries: a table of build systems and events.

  rebuild_table.py --ktcc KTCC --nvcc NVCC --work FOLDER [--only SYSTEM…]

Each build system builds the same four sources in a separate folder, with ktcc in front of a stand-in for nvcc
(rebuild_nvcc.py) that logs what it compiles. After each event the build runs twice: the first time exactly the objects
of the table are compiled, each once, the second time no command is run.
"""
import argparse
import concurrent.futures
import http.server
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", ".."))
from entry_text import rehashed  # noqa: E402
from toolkit import toolkit_of  # noqa: E402

REGION = """#ifndef BLOCK
#define BLOCK 32
#endif
#pragma ktune {clauses} in(x[n]) out(y[n]) problem(n = 4096) tune(BLOCK = 32, 64, 128) \\
    grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void {name}(float *y, const float *x, int n{more})
{{
	const int i = blockIdx.x * BLOCK + threadIdx.x;

	if (i < n)
		y[i] = {value};
}}
void run_{name}(float *y, const float *x, int n) {{ {name}<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, x, n{given}); }}
"""


def region(name, value, clauses="", more="", given=""):
    return REGION.format(name=name, value=value, clauses=clauses, more=more, given=given)


SOURCES = {
    "a.cu": region("scale", "2.0f * x[i]"),
    # The neighbour's name begins with the other's.
    "b.cu": '#include "b.h"\n' + region("shift", "x[i] + SHIFT") + region("scale_wide", "4.0f * x[i]"),
    "b.h": "#define SHIFT 1.0f\n",
    # `f` is in no clause, and what the launch passes is no number and no expression of the pragma's language.
    "declined.cu": region("declined", "f * x[i]", more=", int f", given=", y != x"),
    "plain.cu": "__global__ void plain(float *y) { y[threadIdx.x] = 1.0f; }\n",
}
NAMES = [name for name in SOURCES if name.endswith(".cu")]
FLAGS = "-arch=sm_90"


class Nothing(http.server.BaseHTTPRequestHandler):
    """A team's server that has no entry."""

    def do_GET(self):  # noqa: N802
        self.send_error(404)

    def log_message(self, *_):
        pass


class Tree:
    """One build system's copy of the sources, the entries that may come, and what happens to them."""

    def __init__(self, options, name, entries):
        self.top = os.path.join(options.work, name)
        self.lock = os.path.join(self.top, "ktune.lock")
        self.entries = entries
        self.log = os.path.join(options.work, f"{name}.log")
        shutil.rmtree(self.top, ignore_errors=True)
        os.makedirs(self.top)
        self.ktcc = options.ktcc
        self.remote = {"KTUNE_REMOTE": options.remote} if name.endswith("-remote") else {}
        self.flags = {}
        for source, text in SOURCES.items():
            self.write(source, text)

    def write(self, name, text):
        with open(os.path.join(self.top, name), "w") as out:
            out.write(text)

    def read(self, path):
        with open(path) as file:
            return file.read()

    def folder(self, name):
        return os.path.join(self.lock, os.path.basename(self.entries[name]))

    def entry(self, name):
        """The file of the entry in the lock directory."""
        return os.path.join(self.folder(name), os.listdir(self.entries[name])[0])

    def object(self, source):
        found = [os.path.join(place, file) for place, _, files in os.walk(self.top) for file in files
                 if file in (source + ".o", source[:-3] + ".o")]
        assert len(found) == 1, found
        return found[0]

    # What happens. Each is a row of EVENTS.
    def make_lock(self):
        os.mkdir(self.lock)

    def add(self, name):
        os.makedirs(self.folder(name), exist_ok=True)
        shutil.copyfile(os.path.join(self.entries[name], os.listdir(self.entries[name])[0]), self.entry(name))

    def remove(self, name):
        shutil.rmtree(self.folder(name))

    def remove_file(self, name):
        os.remove(self.entry(name))

    def turn(self, name, block, in_place):
        """Another configuration, written into the file or put in its place."""
        path = self.entry(name)
        text = json.dumps(rehashed(json.loads(self.read(path)) | {"configuration": {"BLOCK": block}}))
        with open(path if in_place else path + ".new", "w") as out:
            out.write(text)
        if not in_place:
            os.rename(path + ".new", path)

    def damage(self, name):
        with open(self.entry(name), "a") as out:
            out.write("nonsense")

    def restore(self, name):
        shutil.copyfile(os.path.join(self.entries[name], os.path.basename(self.entry(name))), self.entry(name))

    def remove_lock(self):
        shutil.rmtree(self.lock)

    def new_lock(self, *names):
        self.make_lock()
        for name in names:
            self.add(name)
        self.turn("scale", 128, True)

    def import_entry(self, name):
        """Into the local store."""
        subprocess.run([self.ktcc, "cache", "import", self.entries[name]], check=True, capture_output=True,
                       env=dict(os.environ, KTUNE_CACHE_DIR=self.top + ".cache"))

    def remove_beside(self, source):
        shutil.rmtree(self.object(source) + ".ktune")

    def edit(self, name):
        with open(os.path.join(self.top, name), "a") as out:
            out.write("// edited\n")

    def edit_and_add(self, source, name):
        self.edit(source)
        self.add(name)

    def touch_and_add(self, source, name):
        os.utime(os.path.join(self.top, source))
        self.add(name)

    def set_and_add(self, flags, name):
        """Options that the compiler takes from its environment: no build system sees them."""
        self.flags = flags
        self.add(name)

    def replace_object(self, source, name):
        """Another program has changed the object after the compiler."""
        with open(self.object(source), "a") as out:
            out.write("// not the compiler's\n")
        time.sleep(0.02)
        self.add(name)

    def settings(self):
        self.write(".ktune.conf", "BUDGET = 30\n")


def add_hostile_files(tree, name):
    """File names that are rules of make, and must not be read as such."""
    for file in ("x;touch owned;.json", "x\nall: owned\nowned:\n\ttouch owned\n.json", "$(shell touch owned).json",
                 "a b.json", "#.json"):
        with open(os.path.join(tree.folder(name), file), "w") as out:
            out.write("{}")


OTHER = {"NVCC_APPEND_FLAGS": "-DOTHER"}
A, B, DECLINED = "a.cu", "b.cu", "declined.cu"
# What happens, which sources are compiled then, the BLOCK that a.cu's object serves after it (None: the original's).
EVENTS = [
    ("nothing", lambda t: None, set(), None),
    ("an entry of no file here", lambda t: t.add("foreign"), set(), None),
    ("an entry for a.cu", lambda t: t.add("scale"), {A}, 64),
    ("an entry of no file here, again", lambda t: t.add("foreign2"), set(), 64),
    ("it is edited in place", lambda t: t.turn("scale", 128, True), {A}, 128),
    ("it is replaced by another", lambda t: t.turn("scale", 64, False), {A}, 64),
    ("it is damaged", lambda t: t.damage("scale"), {A}, None),
    ("it is mended in place", lambda t: t.restore("scale"), {A}, 64),
    ("an entry for another file", lambda t: t.add("shift"), {B}, 64),
    ("an entry for a declined region", lambda t: t.add("declined"), set(), 64),
    ("an entry of the neighbour's name for another kernel", lambda t: t.add("namesake"), set(), 64),
    ("that entry goes", lambda t: t.remove("namesake"), set(), 64),
    ("a header of one file is edited", lambda t: t.edit("b.h"), {B}, 64),
    ("the entry's folder is removed", lambda t: t.remove("scale"), {A}, None),
    ("it is back", lambda t: t.add("scale"), {A}, 64),
    ("the entry's file is removed", lambda t: t.remove_file("scale"), {A}, None),
    ("the file is back", lambda t: t.add("scale"), {A}, 64),
    ("an entry of no file here comes with an edited source", lambda t: t.edit_and_add(B, "foreign3"), {B}, 64),
    ("an entry of no file here comes with a touched source", lambda t: t.touch_and_add(B, "foreign5"), {B}, 64),
    ("an entry of no file here comes with other options", lambda t: t.set_and_add(OTHER, "foreign6"), {B}, 64),
    ("an entry of no file here comes without them", lambda t: t.set_and_add({}, "foreign7"), {B}, 64),
    ("files with hostile names in an entry's folder", lambda t: add_hostile_files(t, "shift"), set(), 64),
    ("an entry of no file here after an object was changed", lambda t: t.replace_object(B, "foreign4"), {B}, 64),
    ("an entry of no file here goes", lambda t: t.remove("foreign2"), set(), 64),
    ("the folder beside an object is removed", lambda t: t.remove_beside(A), {A}, 64),
    ("the folder beside a declined region's object is removed", lambda t: t.remove_beside(DECLINED), {DECLINED}, 64),
    ("the entries of a.cu go", lambda t: t.remove("scale"), {A}, None),
    # Under another key, in a folder of which no name was known.
    ("an entry of another toolkit for a.cu", lambda t: t.add("toolkit"), {A}, 64),
    ("it is edited in place too", lambda t: t.turn("toolkit", 128, True), {A}, 128),
    ("it goes", lambda t: t.remove("toolkit"), {A}, None),
    ("the whole lock directory is removed", lambda t: t.remove_lock(), {B}, None),
    ("an entry of no file here is imported", lambda t: t.import_entry("foreign"), set(), None),
    ("an entry for a.cu is imported", lambda t: t.import_entry("scale"), {A}, 64),
    ("an entry of the neighbour's name for another kernel is imported", lambda t: t.import_entry("namesake"), set(), 64),
    # A depfile cannot name what is not there.
    ("a lock directory where none was", lambda t: t.new_lock("scale", "shift"), set(), 64),
    ("a file is saved after that", lambda t: t.edit(A), {A}, 128),
    ("settings are written", lambda t: t.settings(), set(), 128),
]


def makefile(depends):
    rule = "%.o: %.cu\n\t$(NVCC) " + f"{FLAGS} {depends} -c $< -o $@\n"
    objects = " ".join(name[:-3] + ".o" for name in NAMES)
    return f"all: {objects}\n{rule}-include {objects.replace('.o', '.d')}\n"


def ninja_file(command):
    rule = f"rule cuda\n  command = {command} {FLAGS} -MD -MF $out.d -c $in -o $out\n"
    return "".join([rule, "  deps = gcc\n  depfile = $out.d\n"] + [f"build {name[:-3]}.o: cuda {name}\n" for name in NAMES])


CMAKE = """cmake_minimum_required(VERSION 3.25)
project(table CUDA)
add_library(parts OBJECT {names})
set_target_properties(parts PROPERTIES CUDA_ARCHITECTURES 90)
"""


def make(depends):
    def prepare(tree, options):
        tree.write("Makefile", makefile(depends))
        return ["make", "-j2", f"NVCC={options.ktcc} {options.stand_in}"]
    return prepare


def ninja(tree, options):
    tree.write("build.ninja", ninja_file(f"{options.ktcc} {options.stand_in}"))
    return ["ninja", "-j2"]


def cmake(generator):
    def prepare(tree, options):
        tree.write("CMakeLists.txt", CMAKE.format(names=" ".join(NAMES)))
        subprocess.run(["cmake", "-G", generator, "-S", ".", "-B", "build", f"-DCMAKE_CUDA_COMPILER={options.stand_in}",
                        f"-DCMAKE_CUDA_COMPILER_LAUNCHER={options.ktcc}", "-DCMAKE_CUDA_COMPILER_FORCED=ON",
                        "-DCMAKE_CUDA_COMPILER_ID=NVIDIA"], cwd=tree.top, check=True, capture_output=True,
                       env=environment(tree, options))
        return ["cmake", "--build", "build", "--", "-j2"]
    return prepare


SYSTEMS = {
    "make-md": make("-MD"),
    # Regions have keys here, and what the server does not have is not remembered for long.
    "make-mmd-mp-remote": make("-MMD -MP"),
    "ninja": ninja,
    "cmake-make": cmake("Unix Makefiles"),
    "cmake-ninja": cmake("Ninja"),
}


def environment(tree, options):
    return dict(os.environ, REBUILD_NVCC=options.nvcc, REBUILD_LOG=tree.log, KTUNE_MODE="cached",
                KTUNE_CACHE_DIR=tree.top + ".cache", **tree.remote, **tree.flags)


def build(tree, options, command):
    """What was compiled, and what was said."""
    open(tree.log, "w").close()
    # File systems count time in steps.
    time.sleep(0.02)
    done = subprocess.run(command, cwd=tree.top, env=environment(tree, options), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise AssertionError(f"the build ends with {done.returncode}:\n{done.stdout}")
    return sorted(tree.read(tree.log).split()), done.stdout


def served(tree):
    """BLOCK of the variants in a.cu's object."""
    found = set(re.findall(r"ktune_v_\w*", tree.read(tree.object(A))))
    blocks = set(re.findall(r"blockIdx\.x \* (\d+) \+", tree.read(tree.object(A)))) - {"32"}
    assert len(blocks) == (len(found) > 0), (blocks, found)
    return int(blocks.pop()) if blocks else None


def check_depfiles(tree):
    """What ktcc added has an empty rule; git ignores what it made next to objects."""
    for place, _, files in os.walk(tree.top):
        if place.endswith(".ktune"):
            assert tree.read(os.path.join(place, ".gitignore")) == "*\n", place
        for file in files:
            if file.endswith(".d") and not place.endswith(".ktune"):
                text = tree.read(os.path.join(place, file)).replace("\\\n", " ")
                for word in text.split("\n")[0].split():
                    assert ".ktune/" not in word or word.endswith("/stamp"), (file, word)
                    if "ktune.lock" in word or word.endswith("/stamp"):
                        assert re.search(f"^{re.escape(word)}:$", text, re.MULTILINE), (file, word)


def run(options, name, entries):
    """The differences from the table."""
    tree, problems = Tree(options, name, entries), []
    shutil.rmtree(tree.top + ".cache", ignore_errors=True)
    try:
        tree.make_lock()
        command = SYSTEMS[name](tree, options)
        compiled, said = build(tree, options, command)
        if compiled != sorted(NAMES):
            return [f"{name}: first build: {compiled}\n{said}"]
        for event, happens, expected, block in EVENTS:
            time.sleep(0.02)
            happens(tree)
            compiled, said = build(tree, options, command)
            again, said_again = build(tree, options, command)
            if compiled != sorted(expected):
                problems.append(f"{name}: {event}: compiled {compiled}, not {sorted(expected)}\n{said}")
            # Nor is any command run.
            if again or re.search("nvcc|Building", said_again):
                problems.append(f"{name}: {event}: compiled {again} in the build after it\n{said_again}")
            if served(tree) != block:
                problems.append(f"{name}: {event}: a.cu's object serves BLOCK {served(tree)}, not {block}\n{said}")
            check_depfiles(tree)
            assert not os.path.exists(os.path.join(tree.top, "owned")), event
    except (AssertionError, OSError, subprocess.CalledProcessError) as error:
        problems.append(f"{name}: {error!r}"[:4000].replace("\\n", "\n"))
    return problems


def make_toolkit(options):
    """A toolkit with links to the real one's files, except nvcc."""
    real = toolkit_of(options.nvcc)
    top = os.path.join(options.work, "cuda")
    os.makedirs(os.path.join(top, "bin"))
    for folder, names in ((".", set(os.listdir(real)) - {"bin"}),
                          ("bin", set(os.listdir(os.path.join(real, "bin"))) - {"nvcc"})):
        for name in names:
            os.symlink(os.path.join(real, folder, name), os.path.join(top, folder, name))
    nvcc = os.path.join(top, "bin", "nvcc")
    shutil.copy(os.path.join(HERE, "rebuild_nvcc.py"), nvcc)
    os.chmod(nvcc, 0o755)
    return nvcc


def another(entries, of, name, digit, **changes):
    """An entry under another key: by default of a kernel that no source here has."""
    source = os.path.join(entries[of], os.listdir(entries[of])[0])
    with open(source) as file:
        entry = json.load(file)
    keys = {key: digit * 64 for key in ("region", "near", "closure")} | {"device": entry["keys"]["device"]}
    entry |= {"name": name, "kernel": name, "instance": name, "symbol": f"_Z{len(name)}{name}Pf", "keys": keys}
    entry["keys"] |= changes.pop("keys", {})
    entry |= changes
    folder = os.path.join(os.path.dirname(entries[of]), f"{name}-{digit * 8}")
    os.makedirs(folder)
    with open(os.path.join(folder, os.path.basename(source)), "w") as out:
        out.write(json.dumps(rehashed(entry)))
    return folder


def make_entries(options):
    """The folders of entries by what they are for."""
    top = os.path.join(options.work, "entries")
    os.makedirs(top)
    for source, text in SOURCES.items():
        with open(os.path.join(top, source), "w") as out:
            out.write(text)
    for source, words in (("a.cu", ["scale", "BLOCK=64"]), ("b.cu", ["shift", "BLOCK=64"])):
        subprocess.run([sys.executable, os.path.join(HERE, "make_entry.py"), "--ktcc", options.ktcc, "--lock", "made",
                        source, *words, "--", FLAGS], cwd=top, check=True)
    made = os.path.join(top, "made")
    entries = {folder[:-9]: os.path.join(made, folder) for folder in os.listdir(made)}
    for name, region_name, digit in (("foreign", "elsewhere", "a"), ("foreign2", "scale_wider", "b"),
                                     *((f"foreign{i}", "elsewhere", f"{i}") for i in range(3, 8)),
                                     ("declined", "declined", "c"), ("namesake", "scale_wide", "d")):
        entries[name] = another(entries, "scale", region_name, digit)
    told = subprocess.run([options.ktcc, "explain", "--json", "a.cu", "--", FLAGS], cwd=top, check=True,
                          stdout=subprocess.PIPE)
    keys = json.loads(told.stdout)["regions"][0]["keys"]
    entries["toolkit"] = another(entries, "scale", "scale", "9", symbol=keys["symbol"], keys={"near": keys["near"]})
    return entries


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for word in ("--ktcc", "--nvcc", "--work"):
        parser.add_argument(word, required=True)
    parser.add_argument("--only", nargs="+", default=list(SYSTEMS))
    options = parser.parse_args()
    options.work = os.path.abspath(options.work)
    os.makedirs(options.work, exist_ok=True)
    options.stand_in = make_toolkit(options)
    entries = make_entries(options)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Nothing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    options.remote = f"http://127.0.0.1:{server.server_port}/"
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda name: run(options, name, entries), options.only))
    problems = [problem for each in found for problem in each]
    print(f"{len(options.only)} build systems, {len(EVENTS)} events, {len(problems)} differences", *problems, sep="\n")
    sys.exit(len(problems) != 0)


main()
