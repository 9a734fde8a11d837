"""ktcc, the compiler launcher that tunes CUDA kernels: where its programs are, and running them.

The installed tree is in the folder `prefix` of this package, or the package is in it; what is done is done by the program `ktcc` in it.
"""
import json
import os
import subprocess
import sys

__all__ = ["Error", "main", "prefix", "program", "read_entry", "read_trials", "run", "tune", "tune_kernel", "version"]

_OF_TUNER = ("read_entry", "read_trials", "tune", "tune_kernel")


def __getattr__(name):
    """The functions of ktcc.tuner, which is imported when one of them is used."""
    if name in _OF_TUNER:
        from . import tuner

        return getattr(tuner, name)
    raise AttributeError(f"module 'ktcc' has no attribute '{name}'")


class Error(RuntimeError):
    """ktcc ended with an exit code other than 0; `code` is it, and the text is what it printed."""

    def __init__(self, code, text):
        super().__init__(text.strip() or f"ktcc ended with {code}")
        self.code = code


def prefix():
    """The folder with bin/, libexec/, include/ and lib/cmake/KTune: CMAKE_PREFIX_PATH for find_package(KTune)."""
    here = os.path.dirname(os.path.abspath(__file__))
    # A wheel has the tree inside; in an installation the package is in PREFIX/share/ktcc/python/ktcc.
    inside, around = os.path.join(here, "prefix"), os.path.abspath(os.path.join(here, *[os.pardir] * 4))
    found = around if not os.path.isdir(inside) and os.path.isfile(os.path.join(around, "bin", "ktcc")) else inside
    return os.environ.get("KTUNE_PREFIX") or found


def program():
    """The path of the program ktcc, for a build that starts it directly."""
    return os.path.join(prefix(), "bin", "ktcc")


def run(verb, *arguments):
    """What `ktcc VERB --json ARGUMENTS…` prints, as Python values. Raises Error where it ends with another code than 0."""
    done = subprocess.run([program(), verb, "--json", *map(os.fspath, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise Error(done.returncode, done.stderr)
    return json.loads(done.stdout)


def version():
    """The version of the program."""
    done = subprocess.run([program(), "--version"], capture_output=True, text=True, check=True)
    return done.stdout.split("\n", 1)[0].removeprefix("ktcc ")


def main():
    """The command `ktcc`: becomes the program."""
    os.execv(program(), ["ktcc", *sys.argv[1:]])
