#!/usr/bin/env python3
"""Two machines' caches and one nginx: what one tunes the other compiles, and nothing that a server does breaks a build.

  remote.py KTCC NVCC FOLDER INPUTS RECORDING

Ends with "passed", or with what was not as expected. The servers run on free ports of the loopback and end with this
program; nginx runs as a user without rights where this one is root.
"""
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from entry_text import TEMPLATE, edited, rehashed, stable

KTCC, NVCC, FOLDER, INPUTS, RECORDING = sys.argv[1:6]
TOKEN = "t0ken-of-the-team"
# Of waiting for a server, in one window (store/remote.h); what a busy machine adds to it before a wait ends.
LIMIT_MS, SLACK_MS = 200, 150
FLAGS = ["-arch=sm_90", "-c", "saxpy.cu", "-o", "saxpy.o"]
failed = 0


def check(what, good, detail=""):
    global failed
    if not good:
        failed += 1
        print(f"FAIL {what} {detail}")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


NGINX = """daemon off; worker_processes 1; pid {home}/pid; error_log {home}/error.log;
events {{ worker_connections 64; }}
http {{
  log_format short '$request_method $uri $status'; access_log {home}/access.log short;
  client_body_temp_path {home}/body; proxy_temp_path {home}/p; fastcgi_temp_path {home}/f; uwsgi_temp_path {home}/u;
  scgi_temp_path {home}/s; client_max_body_size 16m;
  server {{
    listen 127.0.0.1:{port}; listen 127.0.0.1:{tls} ssl;
    ssl_certificate {home}/cert.pem; ssl_certificate_key {home}/key.pem;
    root {home}/root;
    location / {{ dav_methods PUT; create_full_put_path on;
      if ($http_authorization != "Bearer {token}") {{ return 401; }} }}
    location /broken/ {{ return 500; }}
    location /moved/ {{ return 302 http://127.0.0.1:{port}/team/; }}
    location /garbage/ {{ return 200 "<html>no such luck</html>"; }}
  }}
}}
"""


@contextlib.contextmanager
def nginx():
    home = tempfile.mkdtemp(prefix="ktcc-remote", dir="/tmp")  # Where another user may go.
    port, tls = free_port(), free_port()
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
                    "-keyout", f"{home}/key.pem", "-out", f"{home}/cert.pem"], check=True, capture_output=True)
    os.mkdir(f"{home}/root")
    with open(f"{home}/nginx.conf", "w") as out:
        out.write(NGINX.format(home=home, port=port, tls=tls, token=TOKEN))
    user = {}
    if os.geteuid() == 0:
        user = {"user": 65534, "group": 65534, "extra_groups": []}
        subprocess.run(["chown", "-R", "65534:65534", home], check=True)
        os.chmod(home, 0o755)
    process = subprocess.Popen([shutil.which("nginx") or "/usr/sbin/nginx", "-e", f"{home}/error.log", "-p", home,
                                "-c", f"{home}/nginx.conf"], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                **user)
    try:
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.02)
        else:
            sys.exit("nginx does not answer: " + open(f"{home}/error.log").read())
        yield home, port, tls
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()
        shutil.rmtree(home, ignore_errors=True)


class Silent:
    """Takes connections and never answers; `drip`: with an entry of a megabyte, a byte at a time."""

    def __init__(self, drip=False):
        self.drip = drip

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port, self.taken = self.listener.getsockname()[1], []
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                self.taken.append(self.listener.accept()[0])
                if self.drip:
                    threading.Thread(target=self.answer, args=(self.taken[-1],), daemon=True).start()

    @staticmethod
    def answer(connection):
        with contextlib.suppress(OSError):
            connection.recv(4096)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n{")
            while True:
                time.sleep(0.005)
                connection.sendall(b" ")

    def __exit__(self, *_):
        self.listener.close()
        for connection in self.taken:
            connection.close()


def ktcc(cache, *words, **settings):
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith("KTUNE_") or key == "KTUNE_LIBCLANG"}
    environment.update({"KTUNE_CACHE_DIR": cache, "KTUNE_LOG": f"{FOLDER}/log"})
    # How long a build waits is asked in failing() alone: elsewhere this machine may be busy.
    environment.update({f"KTUNE_{key}": value for key, value in {"REMOTE_MS": "20000", **settings}.items()})
    return subprocess.run([KTCC, *words], cwd=f"{FOLDER}/src", env=environment, capture_output=True, text=True,
                          errors="replace")


def counters(cache):
    return json.loads(ktcc(cache, "cache", "stats", "--json").stdout)["counters"]


def waited_ms(cache):
    """What the server has cost in this window."""
    with contextlib.closing(sqlite3.connect(f"{cache}/store.sqlite")) as store:
        return store.execute("SELECT coalesce(sum(value), 0) FROM marks WHERE name LIKE 'remote http%'").fetchone()[0]


def fresh(name):
    """A cache that knows what the kernel compiles to, and nothing else."""
    path = f"{FOLDER}/caches/{name}"
    shutil.copytree(f"{FOLDER}/caches/empty", path)
    return path


def changed(good, change, hashed=True):
    entry = edited(json.loads(good), change)
    return stable(rehashed(entry) if hashed else entry) + "\n"


def special(entry, when):
    entry["specialised"] = [{"when": when, "configuration": dict(entry["configuration"]),
                             "resources": dict(entry["resources"])}]


def rename(entry, old, new):
    entry["configuration"] = {new if key == old else key: value for key, value in entry["configuration"].items()}


def generated(entry, line="{ }"):
    entry["template"] = {**TEMPLATE, "body": [line]}
    entry["provenance"]["generator"] = TEMPLATE["generator"]


# What a server may send instead of the entry, and the reason that must be given.
INJECTION = "1) { system(\"touch owned\"); } if (n"
HOSTILE = {
    "hash": (lambda good: changed(good, lambda e: e["configuration"].update(BLOCK=64), False),
             "/hash: the content was changed"),
    "schema": (lambda good: changed(good, lambda e: e.update(ktune=3)), "/ktune: "),
    "member": (lambda good: changed(good, lambda e: e.update(run="me")), "/run: an unknown member"),
    "rule": (lambda good: changed(good, lambda e: special(e, INJECTION)), "/specialised/0/when: "),
    "call": (lambda good: changed(good, lambda e: special(e, "getenv(n)")), "/specialised/0/when: "),
    "parameter": (lambda good: changed(good, lambda e: rename(e, "BLOCK", "BLOCK 64\n#error")), "/configuration/BLOCK"),
    "value": (lambda good: changed(good, lambda e: e["configuration"].update(BLOCK=96)),
              "/configuration/BLOCK: a value is not among the declared"),
    "key": (lambda good: changed(good, lambda e: e["keys"].update(region="0" * 64, near="0" * 64, closure="0" * 64)),
            "/keys: the entry of another region"),
    "device": (lambda good: changed(good, lambda e: e["device"].update(name='x";int owned;"')), "/device/name: "),
    "template": (lambda good: changed(good, generated), "/signature: it brings text of a model without a signature"),
    "kernel text": (lambda good: changed(good, lambda e: generated(e, "\n} int owned() { return system(\"x\")")),
                    "/template/body: "),
    "text": (lambda good: good[:200], "/: "),
    "bytes": (lambda good: good.replace("saxpy", "\\u0000saxpy"), "/name: |/: "),
    "empty": (lambda good: "", "/: "),
    "long": (lambda good: good + " " * (5 << 20), "more bytes|[Ss]ize|exceeded"),
}


def hostile(base, root, good):
    """
    Each command asks for three names, the last two first, so that it meets three of them; unless one of those is an
    entry that does not fit the source: then its third name is not asked for.
    """
    keys = list(json.loads(good)["keys"].values())[:3]
    cases = list(HOSTILE)
    for first in range(0, len(cases), 3):
        some, folder = cases[first:first + 3], f"hostile{first}"
        cache = fresh(folder)
        os.makedirs(f"{root}/{folder}")
        for key, name in zip(keys, some):
            with open(f"{root}/{folder}/{key}-sm_90.json", "w") as out:
                out.write(HOSTILE[name][0](good))
        words = ("explain", "saxpy.cu", "--", "-arch=sm_90") if first else (NVCC, *FLAGS)
        done = ktcc(cache, *words, REMOTE=f"{base}/{folder}", REMOTE_TOKEN=TOKEN, MODE="cached" if first else "require")
        said = done.stdout + done.stderr
        check("required" if first == 0 else "explained", done.returncode == (0 if first else 102), said)
        for name in some:
            check(name, re.search(HOSTILE[name][1], said), said)
        with contextlib.closing(sqlite3.connect(f"{cache}/store.sqlite")) as store:
            check("nothing is kept", store.execute("SELECT count(*) FROM results").fetchone()[0] == 0, some)
    check("nothing ran", not os.path.exists(f"{FOLDER}/src/owned"))


def failing(plain, name, cache, remote, said, times=1, **settings):
    """A server that does not serve: the original, one line, and no more than the limit of waiting."""
    ran = [ktcc(cache, "emit", "saxpy.cu", "-o", "-", "--", "-arch=sm_90", REMOTE=remote, REMOTE_MS="200", **settings)
           for _ in range(times)]
    check(f"{name}: the original",
          all(run.stdout == plain.stdout and run.returncode == plain.returncode for run in ran))
    check(f"{name}: one line", sum(run.stderr.count("is not used") for run in ran) == 1 and
          re.search(said, ran[0].stderr), ran[0].stderr)
    check(f"{name}: waited", 0 < waited_ms(cache) <= LIMIT_MS + SLACK_MS, f"{waited_ms(cache)} ms")
    print(f"{name}: {waited_ms(cache)} ms waited")


def requests(home):
    with open(f"{home}/access.log") as log:
        return log.read().splitlines()


def share(home, base):
    """Machine A tunes and writes; machine B has no GPU and reads."""
    names = f"{home}/root/team"
    first, second = fresh("A"), fresh("B")
    done = ktcc(first, NVCC, *FLAGS, REPLAY=RECORDING, REMOTE=f"{base}/team", REMOTE_TOKEN=TOKEN)
    check("read-only by default", done.returncode == 0 and not os.path.exists(names), done.stderr)
    done = ktcc(first, NVCC, *FLAGS, MODE="retune", REPLAY=RECORDING, REMOTE=f"{base}/team", REMOTE_TOKEN=TOKEN,
                REMOTE_WRITE="1")
    check("written", done.returncode == 0 and len(os.listdir(names)) == 6, done.stderr)
    done = ktcc(first, "cache", "push", REMOTE=f"{base}/team", REMOTE_TOKEN=TOKEN)
    check("pushed before", done.stdout == "0 entries put, 1 were there\n", done.stdout + done.stderr)
    done = ktcc(first, "cache", "push", REMOTE=f"{base}/pushed", REMOTE_TOKEN=TOKEN)
    check("pushed", done.stdout == "1 entries put, 0 were there\n" and len(os.listdir(f"{home}/root/pushed")) == 6,
          done.stderr)
    done = ktcc(first, "cache", "push", REMOTE=f"{base}/broken", REMOTE_TOKEN=TOKEN)
    check("not pushed", done.returncode == 100 and "HTTP 500" in done.stderr, done.stderr)
    ours = open(f"{FOLDER}/src/saxpy.o.ktune/saxpy.cu").read()
    shutil.rmtree(f"{FOLDER}/src/saxpy.o.ktune")
    with open(f"{FOLDER}/token", "w") as out:
        out.write(TOKEN + "\n")
    settings = {"REMOTE": f"{base}/team", "REMOTE_TOKEN_FILE": f"{FOLDER}/token", "MODE": "cached"}
    done = ktcc(second, NVCC, *FLAGS, **settings)
    check("read", done.returncode == 0 and done.stderr == "", done.stderr)
    check("the same bytes", open(f"{FOLDER}/src/saxpy.o.ktune/saxpy.cu").read() == ours)
    seen = counters(second)
    check("counted", (seen.get("remote-hit"), seen.get("entry:remote"), seen.get("match:exact")) == (1, 1, 1), seen)
    listed = json.loads(ktcc(second, "cache", "list", "--json").stdout)
    done = ktcc(second, "cache", "push", REMOTE=f"{base}/team", REMOTE_TOKEN=TOKEN)
    check("what came from there stays there", done.stdout == "0 entries put, 0 were there\n", done.stdout + done.stderr)
    check("marked", [entry["source"] for entry in listed] == ["remote"], listed)
    before = len(requests(home))
    done = ktcc(second, NVCC, *FLAGS, **settings)
    check("a hit asks nobody", counters(second)["manifest-hit"] == 1 and len(requests(home)) == before)
    done = ktcc(fresh("command"), "explain", "saxpy.cu", "--", "-arch=sm_90", REMOTE=f"{base}/team",
                REMOTE_TOKEN_COMMAND=f"cat '{FOLDER}/token'")
    check("a token from a command", "exact entry for NVIDIA H200 (remote)" in done.stdout, done.stdout + done.stderr)
    done = ktcc(fresh("KTUNE_DEVICE"), "explain", "saxpy.cu", "--", "-arch=sm_90", REMOTE=f"{base}/team",
                REMOTE_TOKEN=TOKEN,
                DEVICE="nvidia h200")
    check("a wanted device", "exact entry for NVIDIA H200 (remote)" in done.stdout, done.stdout + done.stderr)
    return names


def misses(home, base):
    cache, explain = fresh("misses"), ("explain", "saxpy.cu", "--", "-arch=sm_90")
    ktcc(cache, *explain, REMOTE=f"{base}/nothing", REMOTE_TOKEN=TOKEN)
    asked = [line for line in requests(home) if "/nothing/" in line]
    check("asked once a key", len(asked) == 3 and all(line.endswith(" 404") for line in asked), asked)
    ktcc(cache, *explain, REMOTE=f"{base}/nothing", REMOTE_TOKEN=TOKEN)
    check("a miss is remembered", len([line for line in requests(home) if "/nothing/" in line]) == 3)
    check("a miss is no failure", "remote-failed" not in counters(cache))


def certificates(plain, home, tls):
    explain = ("explain", "saxpy.cu", "--", "-arch=sm_90")
    remote = f"https://127.0.0.1:{tls}/team"
    done = ktcc(fresh("tls"), *explain, REMOTE=remote, REMOTE_TOKEN=TOKEN, REMOTE_CA=f"{home}/cert.pem")
    check("https", "(remote)" in done.stdout, done.stdout + done.stderr)
    failing(plain, "unknown certificate", fresh("tls2"), remote, "[Cc]ertificate|SSL|timed out", REMOTE_TOKEN=TOKEN)


def main():
    os.makedirs(f"{FOLDER}/src")
    for name in ("saxpy.cu", "saxpy.h"):
        shutil.copy(f"{INPUTS}/{name}", f"{FOLDER}/src")
    ktcc(f"{FOLDER}/caches/empty", "explain", "saxpy.cu", "--", "-arch=sm_90")
    plain = ktcc(f"{FOLDER}/caches/empty", "emit", "saxpy.cu", "-o", "-", "--", "-arch=sm_90")
    with nginx() as (home, port, tls):
        base = f"http://127.0.0.1:{port}"
        names = share(home, base)
        misses(home, base)
        with open(f"{names}/{os.listdir(names)[0]}") as file:
            hostile(base, f"{home}/root", file.read())
        certificates(plain, home, tls)
        for name, said in (("broken", "HTTP 500"), ("moved", "HTTP 302: redirects are not followed")):
            failing(plain, name, fresh(name), f"{base}/{name}", said)
        failing(plain, "refused", fresh("refused"), f"{base}/team", "HTTP 401", REMOTE_TOKEN="another")
        done = ktcc(fresh("garbage"), "explain", "saxpy.cu", "--", "-arch=sm_90", REMOTE=f"{base}/garbage")
        check("garbage", "is left unmodified" in done.stdout and "/: " in done.stdout, done.stdout)
        done = ktcc(fresh("doctor"), "doctor", "--json", REMOTE=f"{base}/team", REMOTE_TOKEN=TOKEN)
        check("doctor", json.loads(done.stdout)["remote"]["found"], done.stdout)
        logs = open(f"{home}/access.log").read() + open(f"{home}/error.log").read()
    with Silent() as silent:
        failing(plain, "silent", fresh("silent"), f"http://127.0.0.1:{silent.port}/team", "timed out", times=2)
        check("a silent server rests", counters(f"{FOLDER}/caches/silent")["remote-rested"] >= 1)
    with Silent(drip=True) as slow:
        failing(plain, "slow", fresh("slow"), f"http://127.0.0.1:{slow.port}/team", "timed out", times=2)
        check("a slow server rests", counters(f"{FOLDER}/caches/slow")["remote-rested"] >= 1)
    failing(plain, "down", fresh("down"), f"http://127.0.0.1:{free_port()}/team", "[Cc]onnect")
    found = subprocess.run(["grep", "-rlaF", TOKEN, f"{FOLDER}/caches", f"{FOLDER}/log", f"{FOLDER}/src"],
                           capture_output=True, text=True).stdout
    check("the token is nowhere", found == "" and TOKEN not in logs, found)
    print("passed" if failed == 0 else f"{failed} failed")
    sys.exit(failed != 0)


main()
