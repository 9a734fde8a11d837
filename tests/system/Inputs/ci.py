#!/usr/bin/env python3
"""Runs the recipes of samples/ci as their services would: every step but those that fetch a checkout or Debian
packages, or write for people what only a service shows.

  ci.py PREFIX NVCC FOLDER PROJECT RECIPES RECORDING

PROJECT holds a repository: CMakeLists.txt, Makefile, sources and ktune.lock. The jobs that tune find the GPU of
RECORDING. Ends with "passed".
"""
import os
import re
import shutil
import subprocess
import sys

import yaml

PREFIX, NVCC, FOLDER, PROJECT, RECIPES, RECORDING = sys.argv[1:7]


def fail(what):
    sys.exit(f"FAIL {what}")


def recipe(name):
    with open(f"{RECIPES}/{name}", encoding="utf-8") as file:
        return file.read() if name == "Jenkinsfile" else yaml.safe_load(file)


def network_free():
    works = shutil.which("unshare") and \
        subprocess.run(["unshare", "--net", "true"], capture_output=True).returncode == 0
    return ["unshare", "--net"] if works else []


class Service:
    """A fresh machine: an empty home, a checkout, and nothing of this one's settings."""

    def __init__(self, name, archive):
        self.home, self.checkout = f"{FOLDER}/{name}/home", f"{FOLDER}/{name}/checkout"
        os.makedirs(self.home)
        shutil.copytree(PROJECT, self.checkout)
        self.environment = {"HOME": self.home, "PATH": f"{os.path.dirname(NVCC)}:/usr/local/bin:/usr/bin:/bin",
                            "CI_PROJECT_DIR": self.checkout}
        if "KTUNE_LIBCLANG" in os.environ:
            self.environment["KTUNE_LIBCLANG"] = os.environ["KTUNE_LIBCLANG"]
        self.archive, self.said = archive, ""

    def set(self, variables):
        for name, value in (variables or {}).items():
            self.environment[name] = re.sub(r"\$(\w+)", lambda match: self.environment[match[1]], str(value))
        if "KTCC_URL" in self.environment:
            self.environment["KTCC_URL"] = f"file://{self.archive}"

    def run(self, what, script):
        done = subprocess.run([*network_free(), "bash", "-eo", "pipefail", "-c", script], cwd=self.checkout,
                              env=self.environment,
                              capture_output=True, text=True)
        self.said += done.stdout + done.stderr
        if done.returncode != 0:
            fail(f"{what}: {script}\n{done.stdout}{done.stderr}")

    def check(self, what):
        emitted = [os.path.join(folder, name) for folder, _, names in os.walk(self.checkout) for name in names
                   if folder.endswith(".ktune") and name == "saxpy.cu"]
        if len(emitted) != 1 or "is left unmodified" in self.said:
            fail(f"{what}: {emitted} {self.said}")
        if "match:exact" not in self.said or "0 problems" not in self.said:
            fail(f"{what}: {self.said}")
        with open(emitted[0]) as file:
            # Names differ with the path that the compiler was given, nothing else does.
            return re.sub(r'"[^"\n]*saxpy\.(?:cu|h)"', '"saxpy"', file.read())


    def tune(self, what, scripts):
        """The job that tunes, on a machine that has ktcc: every entry is made anew."""
        for folder in os.scandir(f"{self.checkout}/ktune.lock"):
            shutil.rmtree(folder.path)
        self.environment.pop("KTUNE_MODE")
        self.environment.update(KTUNE_REPLAY=RECORDING, KTUNE_CACHE_DIR=f"{self.home}/tuned",
                                PATH=f"{PREFIX}/bin:{self.environment['PATH']}")
        self.said = ""
        for script in scripts:
            self.run(what, script)
        self.run(what, "ktcc cache verify --lock-dir ktune.lock")
        found = [name for _, _, names in os.walk(f"{self.checkout}/ktune.lock") for name in names]
        if found != ["NVIDIA_H200-sm_90.json"] or "configurations tried" not in self.said or \
                "0 problems" not in self.said:
            fail(f"{what}: {found} {self.said}")


def github(archive):
    workflow = recipe("github.yml")
    service = Service("github", archive)
    service.set(workflow.get("env"))
    service.set(workflow["jobs"]["build"].get("env"))
    service.environment["GITHUB_PATH"] = f"{FOLDER}/github/path"
    ran = 0
    for step in workflow["jobs"]["build"]["steps"]:
        if "run" not in step or "apt-get" in step["run"]:
            continue
        service.run(f"GitHub, {step['name']}", step["run"])
        ran += 1
        if os.path.exists(service.environment["GITHUB_PATH"]):
            with open(service.environment["GITHUB_PATH"]) as lines:
                front = ":".join(reversed(lines.read().split()))
            service.environment["PATH"] = f"{front}:{service.environment['PATH']}"
            os.unlink(service.environment["GITHUB_PATH"])
    print(f"GitHub: {ran} steps")
    emitted = service.check("GitHub")
    service.tune("GitHub, tune", [step["run"] for step in workflow["jobs"]["tune"]["steps"]
                                  if "run" in step and "GITHUB_STEP_SUMMARY" not in step["run"]])
    return emitted


def gitlab(archive):
    jobs = recipe("gitlab.yml")
    job = jobs["build"]
    service = Service("gitlab", archive)
    service.set(job["variables"])
    lines = [line for line in job["before_script"] + job["script"] if "apt-get" not in line]
    service.run("GitLab", "\n".join(lines))
    print(f"GitLab: {len(lines)} lines")
    emitted = service.check("GitLab")
    os.unlink(f"{service.checkout}/saxpy.o")
    service.tune("GitLab, tune", jobs["tune"]["script"])
    return emitted


def jenkins():
    """Agents have ktcc already. A stage's environment is above its steps; the blocks of sh are scripts."""
    text = recipe("Jenkinsfile")
    build, tune = re.findall(r"stage\('\w+'\) \{.*?(?=\n {8}\}\n)", text, re.S)
    scripts = [re.findall(r"sh \'\'\'\n(.*?)\'\'\'", stage, re.S) for stage in (build, tune)]
    service = Service("jenkins", None)
    service.environment["WORKSPACE"] = service.checkout
    service.environment["PATH"] = f"{PREFIX}/bin:{service.environment['PATH']}"
    service.set({name: value.replace("{", "").replace("}", "")
                 for name, value in re.findall(r"(KTUNE_\w+) = [\'\"](.*?)[\'\"]\n", build)})
    service.run("Jenkins", scripts[0][0])
    print(f"Jenkins: {len(scripts[0][0].split(chr(10))) - 1} lines")
    emitted = service.check("Jenkins")
    os.unlink(f"{service.checkout}/saxpy.o")
    service.tune("Jenkins, tune", [script for script in scripts[1] if "ktcc report" not in script])
    return emitted


def main():
    archive = f"{FOLDER}/ktcc.tar.xz"
    # As cpack's archive: one folder on top. Fast, since nobody keeps it.
    subprocess.run(["tar", "-C", os.path.dirname(PREFIX), "-I", "xz -0", "-cf", archive, os.path.basename(PREFIX)],
                   check=True)
    if not all("ktune_" in emitted for emitted in (github(archive), gitlab(archive), jenkins())):
        fail("nothing is specialised")
    print("passed")


main()
