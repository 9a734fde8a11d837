"""A project under attack: what each attack may end in.

An attack is a function in a module of this folder, marked with @attack. It gets a Project that holds one annotated source
and a lock directory with a good entry, changes what an attacker could change, and the harness compiles. What must
hold afterwards, besides what the attack itself checks:

- the build succeeds within its time;
- what the compiler was given is the original or the variant of the good entry, byte for byte ("original", "variant");
- the expected line is on standard error, and, where none is expected, nothing is;
- no program of the attacker ran and no file of the user's was written: `owned` is absent, `precious` unchanged.

The compiler of an object is a script that copies its input to the output, so that an object is what was compiled;
everything else (PTX, device code, dry runs) goes to the real one.
"""
import os
import re
import shutil
import stat
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
from toolkit import toolkit_of  # noqa: E402

OTHER_USER = 12345
PRECIOUS = "not to be written\n"
COMPILER = """#!/bin/sh
case " $* " in *" -c "*) ;; *) exec {real} "$@" ;; esac
case " $* " in *" -dryrun "*) exec {real} "$@" ;; esac
while [ $# -gt 0 ]; do
	case $1 in
	-o) out=$2; shift ;;
	*.cu) in=$1 ;;
	esac
	shift
done
exec cp "$in" "$out"
"""
ATTACKS = []


def attack(ends, says=None, needs_root=False, **settings):
    """ends: "original" or "variant"; says: a regular expression for standard error, None: nothing is said."""
    def add(function):
        ATTACKS.append((function, ends, says, needs_root, settings))
        return function
    return add


class Project:
    def __init__(self, suite, name):
        self.suite, self.name = suite, name
        self.home = f"{suite.folder}/{name}"
        self.source_folder = f"{self.home}/project/src"
        self.top = f"{self.home}/project"
        self.lock = f"{self.top}/ktune.lock"
        self.cache = f"{self.home}/cache"
        self.owned, self.precious = f"{self.home}/owned", f"{self.home}/precious"
        os.makedirs(self.source_folder)
        os.makedirs(f"{self.top}/.git")
        os.chmod(self.home, 0o755)
        for one in ("saxpy.cu", "saxpy.h"):
            shutil.copy(f"{suite.inputs}/{one}", self.source_folder)
        if suite.entry:
            shutil.copytree(suite.entry, self.lock)
        with open(self.precious, "w") as out:
            out.write(PRECIOUS)
        self.settings, self.environment = {}, {}
        self.objects = suite.objects  # what may be compiled; of a project with another source, others

    def check(self, good, detail):
        self.suite.check(self.name, good, detail)

    def write(self, path, text, mode=0o644):
        path = os.path.join(self.top, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as out:
            out.write(text)
        os.chmod(path, mode)
        return path

    def entry_folder(self):
        return f"{self.lock}/{os.listdir(self.lock)[0]}"

    def entry_file(self):
        folder = self.entry_folder()
        return f"{folder}/{next(one for one in os.listdir(folder) if one.endswith('.json'))}"

    def program(self):
        """A program of the attacker's: it leaves a trace."""
        return self.write("evil", f"#!/bin/sh\ntouch {self.owned}\n", 0o755)

    def ktcc(self, *words, **settings):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("KTUNE_") or
                       key == "KTUNE_LIBCLANG"}
        environment.update(KTUNE_CACHE_DIR=self.cache, HOME=self.home, XDG_CONFIG_HOME=f"{self.home}/config",
                           KTUNE_LOG=f"{self.home}/log")
        environment.update(self.environment)
        environment.update({f"KTUNE_{key}": str(value) for key, value in {**self.settings, **settings}.items()
                            if value is not None})
        try:
            return subprocess.run([self.suite.ktcc, *words], cwd=self.source_folder, env=environment,
                                  capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
                                  errors="replace")
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(words, -1, "", "did not end within 60 s")

    def build(self, **settings):
        return self.ktcc(self.suite.nvcc, "-arch=sm_90", "-c", "saxpy.cu", "-o", "saxpy.o", **settings)

    def object(self):
        try:
            with open(f"{self.source_folder}/saxpy.o") as file:
                return file.read()
        except OSError as error:
            return str(error)


def without_paths(text, project):
    """What was compiled names absolute paths; projects differ in theirs."""
    return text.replace(project.home, "HOME").replace(os.path.realpath(project.home), "HOME")


class Suite:
    def __init__(self, ktcc, nvcc, folder, inputs, recording):
        self.ktcc, self.real, self.folder, self.inputs, self.recording = ktcc, nvcc, folder, inputs, recording
        self.entry, self.failed, self.objects = None, 0, {}
        self.made = {}  # by modules, for all of their attacks
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(f"{folder}/cuda/bin")
        toolkit = toolkit_of(nvcc)
        for one in os.listdir(toolkit):
            if one != "bin":
                os.symlink(f"{toolkit}/{one}", f"{folder}/cuda/{one}")
        for one in os.listdir(f"{toolkit}/bin"):
            if one != "nvcc":
                os.symlink(f"{toolkit}/bin/{one}", f"{folder}/cuda/bin/{one}")
        self.nvcc = f"{folder}/cuda/bin/nvcc"
        with open(self.nvcc, "w") as out:
            out.write(COMPILER.format(real=f"{toolkit}/bin/nvcc"))
        os.chmod(self.nvcc, 0o755)
        good = Project(self, "good")
        os.makedirs(good.lock)
        done = good.ktcc("tune", "saxpy.cu", "--", "-arch=sm_90", REPLAY=recording, BUDGET="600")
        if done.returncode != 0 or not os.listdir(good.lock):
            sys.exit(f"no entry to start from: {done.stdout}{done.stderr}")
        self.entry = good.lock
        for ends, mode in (("variant", "auto"), ("original", "off")):
            done = good.build(MODE=mode)
            if done.returncode != 0:
                sys.exit(f"{ends}: {done.stderr}")
            self.objects[ends] = without_paths(good.object(), good)
        if self.objects["variant"] == self.objects["original"]:
            sys.exit("the good entry is not used")

    def check(self, name, good, detail):
        if not good:
            self.failed += 1
            print(f"FAIL {name}: {detail}")

    def run(self, function, ends, says, settings):
        name = function.__name__
        project = Project(self, name)
        project.settings.update(settings)
        done = function(project) or project.build()
        said = done.stderr
        self.check(name, done.returncode == 0, f"ends with {done.returncode}: {said}")
        if ends is not None:
            is_same = without_paths(project.object(), project) == project.objects[ends]
            self.check(name, is_same, f"the compiler was not given the {ends}")
        if says is None:
            self.check(name, said == "", f"says: {said}")
        else:
            self.check(name, re.search(says, said), f"does not say '{says}': {said}")
        self.check(name, not os.path.lexists(project.owned), "a program of the attacker ran")
        with open(project.precious) as file:
            self.check(name, file.read() == PRECIOUS, "a file of the user's was written")

    def run_all(self, modules):
        """Those of these modules; one may use what another one is made of."""
        ran = 0
        for function, ends, says, needs_root, settings in ATTACKS:
            if function.__module__ not in modules:
                continue
            if needs_root and os.geteuid() != 0:
                print(f"{function.__name__}: needs root, left out")
                continue
            self.run(function, ends, says, settings)
            ran += 1
        print(f"{ran} attacks, {self.failed} failures")
        return self.failed == 0 and ran > 0


def give_away(path):
    os.chown(path, OTHER_USER, -1, follow_symlinks=False)


def open_to_all(path):
    os.chmod(path, stat.S_IMODE(os.stat(path).st_mode) | stat.S_IWOTH)
