"""What a build system sees of a compiler, with ktcc in front of it and without.

usage: citizen.py KTCC FAKE_NVCC FOLDER

FOLDER holds plain.cu (no region) and saxpy.cu (a region with an entry in FOLDER/ktune.lock). Every check runs on each
way that a command can take through ktcc, and prints a line where the outcome is not that of the compiler alone.
"""
import contextlib
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

KTCC, NVCC, FOLDER = sys.argv[1:4]
WAYS = ("pass", "original", "known original", "emitted", "hit")
# Those that scan nothing.
KNOWN = ("pass", "known original", "hit")
STORE = os.path.join(FOLDER, "stores")
failures = []


def command(way):
    source = "plain.cu" if way == "pass" else "saxpy.cu"
    return [NVCC, "-arch=sm_90", "-MD", "-MF", "x.d", "-c", source, "-o", "x.o"]


def environment(way, **more):
    """Of a run on that way: where no entry is looked for, or nothing known, or a store that knows the emission."""
    values = dict(os.environ, KTUNE_MODE="cached", **more)
    if "original" in way:
        values["KTUNE_LOCK_DIR"] = os.path.join(FOLDER, "no.lock")
    store = os.path.join(FOLDER, "used")
    shutil.rmtree(store, ignore_errors=True)
    shutil.copytree(os.path.join(STORE, way), store)
    return dict(values, KTUNE_CACHE_DIR=store)


def clear():
    for name in ("x.o", "x.d", "mark", "given"):
        if os.path.exists(os.path.join(FOLDER, name)):
            os.remove(os.path.join(FOLDER, name))


def start(way, launched, prefix=(), **more):
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
               "env": environment(way, **more.pop("variables", {})), "cwd": FOLDER}
    options.update(more)
    clear()
    return subprocess.Popen([*prefix, *([KTCC] if launched else []), *command(way)], **options)


def run(way, launched, prefix=(), **more):
    data = more.pop("input", None)
    with start(way, launched, prefix, **({"stdin": subprocess.PIPE} if data else {}), **more) as process:
        out, errors = process.communicate(data, timeout=60)
    # Names of temporary files hold the process's number; a line of ktcc's own is not the compiler's.
    clean = [re.sub(rb"tmpxft_[-\w]+", b"tmpxft", text or b"") for text in (out, errors)]
    clean[1] = b"".join(line for line in clean[1].splitlines(True) if not line.startswith(b"ktcc: "))
    return process.returncode, clean[0], clean[1]


def alone(what, way, outcome, known={}):
    """The outcome without ktcc: of the two sources only, once each, where nothing but the way differs."""
    key = (what, way == "pass")
    if key not in known:
        known[key] = outcome()
    return known[key]


def check(what, way, expected, found):
    if expected != found:
        failures.append(f"{what}, {way}: {str(expected)[:300]} without ktcc, {str(found)[:300]} with it")


def prepare():
    """The stores: after a first build of the same command, or the same without what is known of the command."""
    for way in WAYS:
        os.makedirs(os.path.join(STORE, way))
    for known, unknown in (("known original", "original"), ("hit", "emitted")):
        process = run(known, True)
        if process[0] != 0:
            sys.exit(f"{known}: {process}")
        for way in (known, unknown):
            shutil.rmtree(os.path.join(STORE, way))
            shutil.copytree(os.path.join(FOLDER, "used"), os.path.join(STORE, way))
        # The baseline's key stays, so that no further run compiles for the look-up.
        with contextlib.closing(sqlite3.connect(os.path.join(STORE, unknown, "store.sqlite"))) as store:
            store.execute("DELETE FROM manifests")
            store.commit()


def codes():
    for fake, ways in (("exit:1", WAYS), ("kill:KILL", WAYS), ("exit:2", KNOWN), ("exit:255", KNOWN),
                       ("kill:SEGV", KNOWN)):
        for way in ways:
            values = {"FAKE": fake}
            check(fake, way, alone(fake, way, lambda: run(way, False, variables=values)),
                  run(way, True, variables=values))


def recorded(way, launched, prefix, **more):
    mark = os.path.join(FOLDER, "given")
    run(way, launched, prefix, variables={"FAKE": "record", "FAKE_MARK": mark}, **more)
    with open(mark) as file:
        given = json.load(file)
    # The session is the process's own number where it leads one.
    given.pop("own_session")
    return given


def surroundings():
    shells = {
        "closed error": "exec 2>&-; exec \"$@\"",
        "all closed": "exec <&- >&- 2>&-; exec \"$@\"",
        "everything else": f"cd {FOLDER}/link && trap '' HUP USR1 QUIT && umask 027 && ulimit -n 40 && ulimit -c 0 && "
                           "exec 5< plain.cu 9> /dev/null && exec \"$@\"",
    }
    os.symlink(".", os.path.join(FOLDER, "link"))
    for name, script in shells.items():
        for way in ("known original", "emitted", "hit"):
            expected, found = (recorded(way, launched, ("sh", "-c", script, "sh")) for launched in (False, True))
            for field in expected:
                # Held back, so that a failing attempt leaves no trace.
                if field == "streams" and way == "emitted":
                    continue
                check(f"{name}: {field}", way, expected[field], found[field])


def input_text():
    for way in WAYS:
        values = {"FAKE": "read", "FAKE_MARK": os.path.join(FOLDER, "mark")}
        check("input", way, 0, run(way, True, input=b"some text\n", variables=values)[0])
        with open(os.path.join(FOLDER, "mark"), "rb") as file:
            check("input", way, b"some text\n", file.read())


def in_session(leader):
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.getsid(int(name)) == leader and int(name) != leader:
                with open(f"/proc/{name}/stat") as file:
                    # A zombie that nobody waits for runs no more.
                    if file.read().rpartition(")")[2].split()[0] != "Z":
                        found.append(name)
        except OSError:
            pass
    return found


def interrupted(way, launched, number, whole_group):
    mark = os.path.join(FOLDER, "mark")
    process = start(way, launched, variables={"FAKE": "wait", "FAKE_MARK": mark}, start_new_session=True)
    until = time.monotonic() + 20
    while not os.path.exists(mark) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    (os.killpg if whole_group else os.kill)(process.pid, number)
    process.communicate(timeout=60)
    rest = in_session(process.pid)
    # A group's loop of naps may be seen on its way out.
    if rest:
        time.sleep(0.2)
        rest = in_session(process.pid)
    for each in rest:
        os.kill(int(each), signal.SIGKILL)
    return process.returncode, os.path.exists(mark), os.path.exists(os.path.join(FOLDER, "x.o")), len(rest)


def signals():
    for number, whole_group in ((signal.SIGINT, True), (signal.SIGINT, False), (signal.SIGTERM, True),
                                (signal.SIGTERM, False), (signal.SIGHUP, False)):
        expected = interrupted("pass", False, number, whole_group)
        for way in ("pass", "known original", "emitted", "hit") + (("original",) if whole_group else ()):
            what = f"{number.name} to {'the group' if whole_group else 'it alone'}: code, cleaned up, object, left"
            check(what, way, expected, interrupted(way, True, number, whole_group))


def full_output():
    for way in ("known original", "emitted", "hit"):
        for stream in ("stdout", "stderr") if way != "emitted" else ("stdout",):
            with open("/dev/full", "wb") as full:
                check(f"a full {stream}", way, 1, run(way, True, variables={"FAKE": "exit:1"}, **{stream: full})[0])


def broken_pipe():
    for way in ("known original", "emitted", "hit"):
        for stream in ("stdout", "stderr") if way != "emitted" else ("stderr",):
            codes = []
            for launched in (False, True):
                reading, writing = os.pipe()
                os.close(reading)
                codes.append(run(way, launched, variables={"FAKE": "exit:1"}, **{stream: writing})[0])
                os.close(writing)
            check(f"nobody reads {stream}", way, *codes)


def permissions():
    shell = ("sh", "-c", "umask 027; ulimit -n 16; exec \"$@\"", "sh")
    for way in ("known original", "emitted", "hit"):
        modes = []
        for launched in (False, True):
            code = run(way, launched, shell, variables={"FAKE": "write"})[0]
            modes.append([code] + [oct(os.stat(os.path.join(FOLDER, name)).st_mode) for name in ("x.o", "x.d")])
        check("permissions, with 16 descriptors", way, *modes)


def temporary_folders():
    shells = {"absent": "TMPDIR=/absent; export TMPDIR; exec \"$@\""}
    mount = "mkdir -p tiny && mount -t tmpfs -o size=16k tmpfs tiny && TMPDIR=$PWD/tiny && export TMPDIR && "
    if subprocess.run(["unshare", "-rm", "sh", "-c", mount + "true"], cwd=FOLDER, capture_output=True).returncode == 0:
        shells["full"] = f"exec unshare -rm sh -c '{mount} exec \"$@\"' sh \"$@\""
    for name, script in shells.items():
        for way in ("emitted", "hit"):
            results = [run(way, launched, ("sh", "-c", script, "sh"))[0] for launched in (False, True)]
            check(f"TMPDIR {name}", way, *results)


# Whoever runs this may ignore some; a shell cannot trap what it was told to ignore.
for ignored in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGPIPE):
    signal.signal(ignored, signal.SIG_DFL)
prepare()
for part in (codes, surroundings, input_text, signals, full_output, broken_pipe, permissions, temporary_folders):
    began = time.monotonic()
    part()
    print(f"{part.__name__}: {time.monotonic() - began:.1f} s", file=sys.stderr)
for line in failures:
    print(line)
