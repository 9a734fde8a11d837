#!/usr/bin/env python3
"""Builds with a real model behind a real server, a small one: what it says is nonsense, and costs its budget alone.

  model.py KTCC FOLDER PYTHON MODEL [--keep FOLDER]

PYTHON has llama_cpp.server, MODEL is a GGUF file. The kernel is rules/silu.cu, measured by the synthetic recording of
llm_loop.py: without a GPU. Each case is a build with a cache of its own; its object is compared with that of the rules alone. Prints a line
of figures a case and one of JSON for all; ends with an error at the first case that differs. --keep copies the transcripts.
"""
import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
INPUTS = os.path.join(HERE, "Inputs")
KEY = "sk-local-0123456789abcdef"
CONTEXT = 8192
SLACK_S = 20  # of a machine with other work

# Settings, what ends the rounds (any of these; None: whatever does), and the most that the build may take beyond that of
# the rules alone.
CASES = [
    ("plain", {"ROUNDS": "2", "SCHEMA": "off"}, None, 1200),
    ("schema", {"ROUNDS": "1", "SCHEMA": "auto"}, None, 1200),
    ("not streamed", {"ROUNDS": "1", "STREAM": "off", "SCHEMA": "off"}, None, 1200),
    ("five seconds", {"ROUNDS": "2", "SCHEMA": "off", "WAIT": "5"}, ("time:", "nobody:"), 5),
    ("few tokens", {"ROUNDS": "2", "SCHEMA": "off", "TOKENS": "1000"}, ("tokens:",), 5),
    ("no end", {"ROUNDS": "1", "SCHEMA": "off", "REPLY_TOKENS": "100000", "TOKENS": "1000000", "WAIT": "30"}, None, 30),
    ("killed", {"ROUNDS": "2", "SCHEMA": "off", "RETRIES": "0"}, None, 60),
]


class Server:
    """llama.cpp's, on a free port of this machine; in a process group of its own."""

    def __init__(self, python, model, log):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = open(log, "ab")
        self.process = subprocess.Popen(
            [python, "-m", "llama_cpp.server", "--model", model, "--model_alias",
             os.path.basename(model).removesuffix(".gguf"), "--host", "127.0.0.1",
             "--port", str(self.port), "--n_ctx", str(CONTEXT), "--n_threads", str(os.cpu_count()), "--n_batch", "512"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, start_new_session=True,
            env=dict(os.environ, API_KEY=KEY))

    def wait(self, seconds=120):
        request = urllib.request.Request(self.url + "/v1/models", headers={"Authorization": f"Bearer {KEY}"})
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                sys.exit(f"the server ended with {self.process.returncode}: {self.log.name}")
            try:
                return json.load(urllib.request.urlopen(request, timeout=5))["data"][0]["id"]
            except (OSError, ValueError, LookupError):
                time.sleep(0.2)
        sys.exit(f"the server does not answer: {self.log.name}")

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.log.close()


class World:
    def __init__(self, ktcc, folder):
        self.folder = folder
        self.prefix = os.path.dirname(os.path.dirname(os.path.realpath(ktcc)))
        self.ktcc = os.path.join(folder, "can", "bin", "ktcc")
        os.makedirs(folder)
        shutil.copy(os.path.join(INPUTS, "rules", "silu.cu"), folder)
        subprocess.run(["sh", os.path.join(INPUTS, "rules", "program.sh"), self.prefix, os.path.join(folder, "can")],
                       check=True)
        self.make("can/libexec/ktcc/rewrite.json", "rules/rewrite.py", "reply")
        self.make("silu.jsonl", "llm_loop.py", "recording", os.path.join(HERE, "recordings", "saxpy.jsonl"))

    def make(self, name, program, *words):
        with open(os.path.join(self.folder, name), "wb") as out:
            subprocess.run([sys.executable, os.path.join(INPUTS, program), *words], check=True, stdout=out)

    def run(self, name, words, settings):
        env = {key: value for key, value in os.environ.items() if not key.startswith("KTUNE_")}
        env.update(KTUNE_REPLAY=os.path.join(self.folder, "silu.jsonl"), KTUNE_BUDGET="600", THE_KEY=KEY, no_proxy="*",
                   KTUNE_CACHE_DIR=os.path.join(self.folder, name, "cache"),
                   KTUNE_LOCK_DIR=os.path.join(self.folder, name, "lock"))
        env.update({"KTUNE_LLM_" + key: value for key, value in settings.items()})
        return subprocess.run([self.ktcc, *words], cwd=os.path.join(self.folder, name), env=env, capture_output=True,
                              text=True, stdin=subprocess.DEVNULL)

    def build(self, name, settings):
        """The seconds of a build, what it said, the emitted source, and what became of the rounds."""
        where = os.path.join(self.folder, name)
        os.makedirs(where)
        shutil.copy(os.path.join(self.folder, "silu.cu"), where)
        begin = time.monotonic()
        done = self.run(name, ["nvcc", "-arch=sm_90", "-c", "silu.cu", "-o", "silu.o"], settings)
        seconds = time.monotonic() - begin
        assert done.returncode == 0 and os.path.getsize(os.path.join(where, "silu.o")) > 0, done
        with open(os.path.join(where, "silu.o.ktune", "silu.cu")) as text:
            emitted = text.read()
        shown = json.loads(self.run(name, ["plan", "show", "--json", "silu"], {}).stdout)
        told = self.run(name, ["plan", "show", "silu"], {}).stdout
        for text in (done.stdout, done.stderr, told, emitted):
            assert KEY not in text, "the key is in what was written"
        return seconds, done.stderr, emitted, shown, told


def files_with_key(folder):
    for path in glob.glob(os.path.join(folder, "**"), recursive=True):
        if os.path.isfile(path) and not os.path.islink(path):
            with open(path, "rb") as data:
                if KEY.encode() in data.read():
                    yield path


def begins(told, word):
    """Lines of a plan that was told which begin with a word."""
    return [line.strip() for line in told.splitlines() if line.strip().startswith(word + " ")]


def refusals(told):
    """Why answers could not be used, and how many could not because of that."""
    why = [line.split(": ", 1)[1] for line in told.splitlines() if line.strip().startswith("refused: ")]
    return {reason: why.count(reason) for reason in sorted(set(why))}


def main():
    ktcc, folder, python, model, *more = sys.argv[1:]
    keep = more[1] if more[:1] == ["--keep"] else None
    folder = os.path.abspath(folder)
    world = World(ktcc, folder)
    plain_s, _, plain, _, _ = world.build("rules", {})
    # Once more into an empty cache, for the compilations that the machine now has in its memory.
    plain_s = min(plain_s, world.build("rules again", {})[0])
    print(f"rules alone: {plain_s:.1f} s", flush=True)
    figures = []
    server = Server(python, model, os.path.join(folder, "server.log"))
    try:
        for name, settings, ends, most_s in CASES:
            if server.process.poll() is not None:
                server = Server(python, model, os.path.join(folder, "server.log"))
            model_name = server.wait()
            settings = {"REPLY_TOKENS": "300", "WAIT": "20m", "TIMEOUT": "1200", "IDLE": "600", "KEY_ENV": "THE_KEY",
                        "URL": server.url, "MODEL": model_name, **settings,
                        "RECORD": os.path.join(folder, "said", name.replace(" ", "-"))}
            timer = threading.Timer(plain_s + 3, server.kill) if name == "killed" else None
            if timer:
                timer.start()
            seconds, said, emitted, shown, told = world.build(name, settings)
            if timer:
                timer.join()
            rounds = shown[0]["rounds"]
            case = {"case": name, "seconds": round(seconds, 1), "beyond_rules_s": round(seconds - plain_s, 1),
                    "questions": len(begins(told, "question")), "answers": len(begins(told, "answer")),
                    "refused": refusals(told), "kept": sum(each["generator"] == "llm" and each["kept"] for each in rounds),
                    "ended": begins(told, "ended:")[-1][7:], "warnings": said.count("of no use")}
            figures.append(case)
            print(json.dumps(case), flush=True)
            assert case["kept"] or emitted == plain, f"{name}: not the source of the rules alone: {folder}"
            assert seconds - plain_s < most_s + SLACK_S, f"{name}: longer than its budget"
            assert ends is None or case["ended"].startswith(ends), case
            assert case["warnings"] <= (name == "killed"), said
    finally:
        server.kill()
    leaked = [path for path in files_with_key(folder)]
    assert not leaked, leaked
    if keep:
        shutil.copytree(os.path.join(folder, "said"), keep, dirs_exist_ok=True)
    print(json.dumps({"model": os.path.basename(model), "rules_s": round(plain_s, 1), "cases": figures}))


if __name__ == "__main__":
    main()
