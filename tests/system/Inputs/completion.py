"""What a shell completes, from the installed scripts.

usage: completion.py SHELL PREFIX

Each line of the table is what was typed, what it has to become or to offer, and what it must not offer. bash is asked by
its function and fish by `complete -C`; zsh is typed to, through a terminal.
"""
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import time

TABLE = [
    # typed, offered, not offered
    ("ktcc expl", ["explain"], ["scan"]),
    ("ktcc tune --bud", ["--budget"], ["--seed"]),
    ("ktcc tune --lock", ["--lock-dir"], ["--json"]),
    ("ktcc cache ver", ["verify"], ["gc"]),
    ("ktcc cache verify --da", ["--days"], ["--floor"]),
    ("ktcc simulate --transfer host", ["hostile"], ["kernel"]),
    ("ktcc tune --compile-commands fold", ["folder/"], ["folders.cu"]),
    ("ktcc scan kernel_on", ["kernel_one.cu"], ["kernel_two.cu"]),
    ("ktcc --mod", ["--mode="], ["--budget="]),
    ("ktcc --mode=requ", ["require"], ["cached"]),
    ("ktcc nvcc kernel_tw", ["kernel_two.cu"], ["kernel_one.cu"]),
]
SCRIPTS = {"bash": "share/bash-completion/completions/ktcc", "zsh": "share/zsh/vendor-completions/_ktcc",
           "fish": "share/fish/vendor_completions.d/ktcc.fish"}


def words_of_bash(typed):
    """As readline splits them: '=' is a word."""
    return [word for word in re.split(r"\s+|(=)", typed) if word]


def ask_bash(script, typed):
    words = words_of_bash(typed)
    text = f"source {script}\ncompopt() {{ :; }}\nCOMP_WORDS=({' '.join(words)})\nCOMP_CWORD={len(words) - 1}\n_ktcc\n" \
           'printf "%s\\n" "${COMPREPLY[@]}"'
    found = subprocess.run(["bash", "--norc", "-c", text], capture_output=True, text=True, check=True).stdout.split("\n")
    return [word + "/" if os.path.isdir(word) and word else word for word in found]


def ask_fish(script, typed):
    text = f"source {script}\ncomplete -C '{typed}'"
    lines = subprocess.run(["fish", "--no-config", "-c", text], capture_output=True, text=True, check=True).stdout.split("\n")
    words = [line.split("\t")[0] for line in lines]
    # It offers an option without the sign that a value follows.
    return words + [word + "=" for word in words] + [word.split("=", 1)[1] for word in words if "=" in word]


def read_until(terminal, pattern, seconds=20):
    text = ""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            text += os.read(terminal, 65536).decode(errors="replace")
        if re.search(pattern, text):
            return text
    raise RuntimeError(f"zsh printed {text!r}, and not {pattern!r}")


def start_zsh(script):
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="dumb", PS1="ready> ", ZDOTDIR=os.getcwd())
        os.execvp("zsh", ["zsh", "-f", "-i"])
    read_until(terminal, "ready> ")
    folder = os.path.dirname(script)
    for line in ("unsetopt zle_bracketed_paste prompt_sp", f"fpath=({folder} $fpath)", "autoload -Uz compinit",
                 "compinit -u -d dump", "show() { print -r -- \"<<$BUFFER>>\"; BUFFER=; zle accept-line }", "zle -N show",
                 "bindkey '^X' show", "print set''up"):
        os.write(terminal, (line + "\n").encode())
    read_until(terminal, "\nsetup")
    return child, terminal


def ask_zsh(terminal, typed):
    """The line after a tab: one candidate is put in."""
    os.write(terminal, typed.encode() + b"\t")
    time.sleep(0.7)
    os.write(terminal, b"\x18")
    line = re.search(r"<<(.*?)>>", read_until(terminal, r"<<.*?>>")).group(1)
    word = line.rstrip().split(" ")[-1]
    return [word, word.rstrip("="), word.split("=", 1)[-1]]


def main():
    shell, prefix = sys.argv[1:]
    script = os.path.join(prefix, SCRIPTS[shell])
    os.chdir(tempfile.mkdtemp())
    os.mkdir("folder")
    for name in ("folders.cu", "kernel_one.cu", "kernel_two.cu"):
        open(name, "w", encoding="utf-8").close()
    child, terminal = start_zsh(script) if shell == "zsh" else (None, None)
    wrong = 0
    for typed, offered, others in TABLE:
        found = ask_zsh(terminal, typed) if shell == "zsh" else {"bash": ask_bash, "fish": ask_fish}[shell](script, typed)
        if not all(word in found for word in offered) or any(word in found for word in others):
            wrong += 1
            print(f"{shell}: '{typed}' offers {found}, not {offered} alone")
    if child is not None:
        os.write(terminal, b"exit\n")
        os.close(terminal)
        os.waitpid(child, 0)
    print(f"{shell}: {len(TABLE) - wrong} of {len(TABLE)} as expected")
    return wrong != 0


sys.exit(main())
