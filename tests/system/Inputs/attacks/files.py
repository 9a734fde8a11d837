"""Files that another user of the machine could have put there: settings, lock directories, links, pipes."""
import os
import subprocess

from harness import attack, give_away, open_to_all

IGNORED = "is ignored: .*safe_directory="
NOT_TRUSTED = "safe_directory="


def pipe(path):
    if os.path.lexists(path):
        os.remove(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.mkfifo(path)


# ---- a project's settings

@attack("variant", IGNORED, needs_root=True)
def settings_of_another_user(p):
    give_away(p.write(".ktune.conf", "mode=off\n"))


@attack("variant", IGNORED)
def settings_that_everybody_may_write(p):
    p.write(".ktune.conf", "mode=off\n", 0o666)


@attack("variant", IGNORED)
def settings_below_a_folder_that_everybody_may_write(p):
    p.write("src/.ktune.conf", "mode=off\n")
    os.rename(p.lock, f"{p.home}/ktune.lock")
    p.settings["LOCK_DIR"] = f"{p.home}/ktune.lock"
    open_to_all(p.top)


@attack("original", None)
def settings_that_the_user_lists_as_safe(p):
    p.write(".ktune.conf", "mode=off\n", 0o666)
    p.settings["SAFE_DIRECTORY"] = p.top


@attack("variant", IGNORED, needs_root=True)
def settings_behind_a_link_of_another_user(p):
    real = p.write("real.conf", "mode=off\n")
    os.symlink(real, f"{p.top}/.ktune.conf")
    give_away(f"{p.top}/.ktune.conf")


@attack("variant", IGNORED)
def settings_that_list_themselves_as_safe(p):
    p.write(".ktune.conf", f"safe_directory={p.top}\nmode=off\n", 0o666)


@attack("variant", None)
def settings_that_are_a_pipe(p):
    pipe(f"{p.top}/.ktune.conf")


@attack("variant", None)
def settings_that_are_a_folder(p):
    os.makedirs(f"{p.top}/.ktune.conf")


def forbidden(key, value):
    @attack("original", f"error: .*\\.ktune\\.conf:1: {key}.* may not be set by a project's file")
    def act(p):
        p.write(".ktune.conf", f"{key}={value.format(evil=p.program(), owned=p.owned, precious=p.precious)}\n")
    act.__name__ = f"settings_name_{key}"


for _key, _value in (("CACHE_DIR", "{owned}"), ("LOG", "{precious}"), ("RUNNER_LAUNCHER", "{evil}"),
                     ("LIBCLANG", "{evil}"), ("REPLAY", "{precious}"), ("RECORD", "{precious}"), ("T4", "{owned}"),
                     ("REMOTE", "http://127.0.0.1:9/"), ("REMOTE_TOKEN_COMMAND", "{evil}"),
                     ("REMOTE_TOKEN_FILE", "{precious}"), ("REMOTE_WRITE", "1"), ("LLM_URL", "dir:{owned}"),
                     ("LLM_KEY_COMMAND", "{evil}"), ("LLM_RECORD", "{owned}"), ("GENERATOR", "llm"),
                     ("SAFE_DIRECTORY", "*"), ("ktune_llm_proxy", "http://127.0.0.1:9/")):
    forbidden(_key, _value)


@attack("original", "LOCK_DIR in a project's file is a path below")
def settings_name_a_lock_directory_elsewhere(p):
    os.rename(p.lock, f"{p.home}/ktune.lock")
    p.write(".ktune.conf", "LOCK_DIR=../ktune.lock\n")


@attack("variant", None)
def settings_name_a_lock_directory_below(p):
    os.rename(p.lock, f"{p.top}/entries")
    p.write(".ktune.conf", "LOCK_DIR=entries\n")


# ---- lock directories

@attack("original", IGNORED, needs_root=True)
def lock_directory_of_another_user(p):
    give_away(p.lock)


@attack("original", IGNORED)
def lock_directory_that_everybody_may_write(p):
    open_to_all(p.lock)


@attack("original", IGNORED)
def lock_directory_below_a_folder_that_everybody_may_write(p):
    open_to_all(p.top)


@attack("original", IGNORED, needs_root=True)
def lock_directory_given_by_the_environment(p):
    os.rename(p.lock, f"{p.home}/ktune.lock")
    p.settings["LOCK_DIR"] = f"{p.home}/ktune.lock"
    give_away(f"{p.home}/ktune.lock")


@attack("original", IGNORED, needs_root=True)
def lock_directory_that_is_a_link_to_another_user(p):
    os.rename(p.lock, f"{p.home}/theirs")
    os.symlink(f"{p.home}/theirs", p.lock)
    give_away(f"{p.home}/theirs")


@attack("original", NOT_TRUSTED, needs_root=True)
def entry_of_another_user(p):
    give_away(p.entry_file())


@attack("original", NOT_TRUSTED)
def entry_that_everybody_may_write(p):
    open_to_all(p.entry_file())


@attack("original", NOT_TRUSTED)
def entry_folder_that_everybody_may_write(p):
    open_to_all(p.entry_folder())


@attack("original", NOT_TRUSTED, needs_root=True)
def entry_that_is_a_link_to_another_user(p):
    file = p.entry_file()
    os.rename(file, f"{p.home}/theirs.json")
    os.symlink(f"{p.home}/theirs.json", file)
    give_away(f"{p.home}/theirs.json")


@attack("variant", None, needs_root=True)
def entry_of_another_user_that_is_safe(p):
    give_away(p.entry_file())
    p.settings["SAFE_DIRECTORY"] = p.top


@attack("variant", None)
def entry_behind_links_of_ones_own(p):
    file = p.entry_file()
    os.makedirs(f"{p.home}/tree")
    os.rename(file, f"{p.home}/tree/entry.json")
    os.symlink(f"{p.home}/tree/entry.json", file)


@attack("original", "is left unmodified")
def entry_that_is_a_pipe(p):
    pipe(p.entry_file())


@attack("original", "is left unmodified")
def entry_folder_that_is_a_pipe(p):
    folder = p.entry_folder()
    os.rename(folder, f"{p.home}/kept")
    pipe(folder)


@attack("original", "lock directory that a setting names does not exist")
def lock_directory_that_is_absent(p):
    p.settings.update(LOCK_DIR=f"{p.home}/nowhere", MODE="cached")


@attack("original", "error: .*lock directory that a setting names does not exist")
def lock_directory_that_is_absent_where_it_would_tune(p):
    p.settings.update(LOCK_DIR=f"{p.home}/nowhere", REPLAY=p.suite.recording)
    done = p.build()
    if os.path.exists(f"{p.home}/nowhere"):
        done.stderr += "the lock directory was made"
        done.returncode = -1
    return done


# ---- writing

@attack("variant", "link or no folder", REPLAY="", BUDGET="600")
def tuning_into_an_entry_folder_that_is_a_link(p):
    folder = p.entry_folder()
    os.makedirs(f"{p.home}/theirs")
    os.rename(folder, f"{p.home}/kept")
    os.symlink(f"{p.home}/theirs", folder)
    p.settings["REPLAY"] = p.suite.recording
    done = p.build()
    if os.listdir(f"{p.home}/theirs"):
        done.stderr += f"written: {os.listdir(p.home + '/theirs')}"
        done.returncode = -1
    return done


@attack("variant", "1.*x with BLOCK|", BUDGET="600")
def tuning_over_an_entry_that_is_a_link(p):
    file = p.entry_file()
    os.remove(file)
    os.symlink(p.precious, file)
    p.settings["REPLAY"] = p.suite.recording


@attack("variant", "1.*x with BLOCK|", BUDGET="600")
def tuning_over_links_that_look_like_ours(p):
    file = p.entry_file()
    os.remove(file)
    for number in range(1, 300):
        os.symlink(p.precious, f"{file}.{number}.tmp")
    p.settings["REPLAY"] = p.suite.recording


def beside(name):
    @attack(None, "")
    def act(p):
        os.makedirs(f"{p.source_folder}/saxpy.o.ktune", exist_ok=True)
        os.symlink(p.precious, f"{p.source_folder}/saxpy.o.ktune/{name}")
    act.__name__ = f"link_beside_the_object_{name.replace('.', '_')}"


for _name in ("saxpy.cu", "stamp", ".gitignore", "ktune.h"):
    beside(_name)


@attack("original", "symbolic link")
def folder_beside_the_object_that_is_a_link(p):
    os.makedirs(f"{p.home}/theirs")
    os.symlink(f"{p.home}/theirs", f"{p.source_folder}/saxpy.o.ktune")


# ---- pipes in the place of our own files

def pipe_in_the_store(name, ends):
    @attack(ends, "")
    def act(p):
        pipe(f"{p.cache}/{name}")
    act.__name__ = f"pipe_in_the_store_{name.replace('.', '_').replace('-', '_')}"


for _name in ("walk.memo", "store.sqlite", "store.sqlite-wal", "store.sqlite-shm", "store.sqlite-journal",
              "store.suspect", "store.lock"):
    pipe_in_the_store(_name, "variant")


@attack("variant", None)
def pipe_beside_the_object(p):
    pipe(f"{p.source_folder}/saxpy.o.ktune/saxpy.cu")


@attack(None, "")
def header_that_is_a_pipe_and_that_nobody_includes(p):
    pipe(f"{p.source_folder}/ktune_unused.h")
    with open(f"{p.source_folder}/saxpy.cu", "a") as out:
        out.write('#if 0\n#include "ktune_unused.h"\n#endif\n')


@attack("original", None, MODE="off")
def source_that_is_a_pipe(p):
    """What a pipe holds can be read once: by the compiler."""
    source = f"{p.source_folder}/saxpy.cu"
    with open(source) as file:
        text = file.read()
    os.rename(source, f"{p.home}/kept.cu")
    os.mkfifo(source)
    with open(f"{p.home}/kept.cu") as file:
        writer = subprocess.Popen(["sh", "-c", f"cat > {source}"], stdin=file, stderr=subprocess.DEVNULL)
    done = p.build(MODE="auto")
    writer.wait(10)
    assert text
    return done
