"""Text of a model from an import or a server: taken only with a signature of a key that the user trusts."""
import hashlib
import json
import os
import re
import shutil

from harness import attack, give_away
from servers import Listener
from texts import rehashed, stable, template, write_entry

NO_ENTRY, UNSIGNED = "there is no entry", "no key that you trust has signed it"
NOBODY, OTHER, BROKEN = "of a model without a signature", "which you do not trust", "it is not the signature of this entry"


def author(p, *words, name="author"):
    """The same machine, another user's settings."""
    p.environment.update(XDG_CONFIG_HOME=f"{p.home}/{name}", KTUNE_CACHE_DIR=f"{p.home}/{name}-cache")
    done = p.ktcc(*words)
    del p.environment["XDG_CONFIG_HOME"], p.environment["KTUNE_CACHE_DIR"]
    return done


def public(p, name="author"):
    return f"{p.home}/{name}/ktune/key.pub"


def signed(p, signs=True, split=False):
    """An entry that its author signed, out of the way of look-ups; its path. split: its text is a file beside it."""
    write_entry(p, template())
    made = author(p, "key", "new")
    p.check(made.returncode == 0 and os.stat(f"{p.home}/author/ktune/key").st_mode & 0o777 == 0o600, made.stderr)
    path = f"{p.home}/given.json"
    shutil.copy(p.entry_file(), path)
    shutil.rmtree(p.lock)
    if signs:
        done = author(p, "cache", "sign", path)
        p.check(done.stdout == "1 entries signed\n", done.stdout + done.stderr)
        p.check(text_of(p.home) is not None, "its text is no file")
    if signs and not split:
        author(p, "key", "trust", public(p))
        imported(p, path, who=author)
        whole = json.loads(author(p, "cache", "show", "saxpy", "--json").stdout)
        p.check(len(whole) == 1 and "body" in whole[0]["template"], whole)
        with open(path, "w") as out:
            out.write(stable(whole[0]) + "\n")
        os.remove(f"{p.home}/{text_of(p.home)}")
    return path


def text_of(folder):
    return next((one for one in os.listdir(folder) if re.fullmatch(r"variant-[0-9a-f]{16}\.cuh", one)), None)


def trust(p, path, word="trust"):
    done = p.ktcc("key", word, path)
    p.check(done.returncode == 0, done.stderr)


def change(path, function, hashed=True):
    with open(path) as file:
        entry = json.load(file)
    function(entry)
    with open(path, "w") as out:
        signature = entry.pop("signature", None)
        entry = rehashed(entry) if hashed else entry
        if signature is not None:
            entry["signature"] = signature
        out.write(stable(entry) + "\n")


def imported(p, path, refused=None, who=None):
    done = who(p, "cache", "import", path) if who else p.ktcc("cache", "import", path)
    if refused is None:
        p.check(done.stdout == "1 entries imported, 0 unchanged, 0 refused\n", done.stdout + done.stderr)
    else:
        p.check(done.returncode == 100 and refused in done.stderr and path in done.stderr, done.stderr + done.stdout)


def used(p, done):
    p.check("ktune_v_" in p.object() and without_entry(p), "the variant is not in the object")
    return done


def without_entry(p):
    return p.object() != p.objects["original"]


def serve(p, path):
    with open(path) as file:
        return Listener("200 OK", (), file.read(), only=p.suite.made["texts"][1])


@attack(None, None)
def import_with_a_trusted_signature(p):
    path = signed(p)
    trust(p, public(p))
    imported(p, path)
    return used(p, p.build())


@attack(None, None)
def server_with_a_trusted_signature(p):
    path = signed(p)
    trust(p, public(p))
    with serve(p, path) as server:
        p.settings.update(REMOTE=server.address, REMOTE_MS="20000")
        return used(p, p.build())


@attack("original", NO_ENTRY)
def import_without_a_signature(p):
    path = signed(p, signs=False)
    trust(p, public(p))
    imported(p, path, NOBODY)


@attack("original", NO_ENTRY)
def import_that_is_signed_by_somebody(p):
    imported(p, signed(p), OTHER)


def served(name, said, prepare):
    """What a server sends: refused with the reason, and never kept."""
    @attack("original", f"{UNSIGNED}.*{said}")
    def act(p):
        path = signed(p)
        trust(p, public(p))
        prepare(p, path)
        with serve(p, path) as server:
            p.settings.update(REMOTE=server.address, REMOTE_MS="20000")
            done = p.build()
        p.check(p.ktcc("cache", "list").stdout == "no entries\n", "it is kept")
        return done
    act.__name__ = f"server_with_{name}"


served("an_entry_without_a_signature", NOBODY, lambda p, path: change(path, lambda entry: entry.pop("signature")))
served("an_entry_of_a_revoked_key", OTHER, lambda p, path: trust(p, public(p), "revoke"))
served("an_entry_that_was_changed", BROKEN,
       lambda p, path: change(path, lambda entry: entry["configuration"].update(BLOCK=64)))


def put(*path_and_value):
    *path, last, value = path_and_value

    def act(entry):
        for step in path:
            entry = entry[step]
        entry[last] = value
    return act


def body(entry):
    entry["template"]["body"][2] = entry["template"]["body"][2].replace("+", "-")


def digit(member, place):
    def act(entry):
        text = entry["signature"][member]
        entry["signature"][member] = text[:place] + ("0" if text[place] != "0" else "1") + text[place + 1:]
    return act


CHANGES = {
    "the_region": put("keys", "region", "2" * 64), "the_kernel": put("kernel", "other"),
    "the_configuration": put("configuration", "BLOCK", 64), "the_text": body,
    "the_parameters": put("template", "parameters", 0, "values", [64, 128, 256, 512]),
    "the_restrictions": put("template", "restrictions", [{"text": "BLOCK > 64", "reason": "none"}]),
    "the_guards": put("template", "guards", [{"text": "n > 0", "reason": "none"}]),
    "the_grid": put("template", "grid", ["1"]), "the_block": put("template", "block", ["BLOCK * 2"]),
    "the_shared_memory": put("template", "shared_bytes", "64"),
    "a_rule": put("specialised", 0, "when", "n == 4096"),
    "a_special_configuration": put("specialised", 0, "configuration", "BLOCK", 64),
    "a_time": put("problems", 0, "floor_ns", 1), "the_provenance": put("provenance", "date", "2001-01-01T00:00:00Z"),
    "the_key": digit("key", 0), "the_signature": digit("value", 0), "the_end_of_the_signature": digit("value", 127),
    "the_length_of_the_signature": lambda entry: put("signature", "value", entry["signature"]["value"][:-2])(entry),
    "the_letters_of_the_signature": lambda entry: put("signature", "value", "x" * 128)(entry),
}


@attack("original", NO_ENTRY)
def import_with_a_byte_changed_anywhere(p):
    path = signed(p)
    trust(p, public(p))
    with open(path) as file:
        whole = file.read()
    for name, edit in CHANGES.items():
        one = f"{p.home}/{name}.json"
        with open(one, "w") as out:
            out.write(whole)
        change(one, edit)
        done = p.ktcc("cache", "import", one)
        p.check(done.returncode == 100 and f"{one}: /signature: {BROKEN}" in done.stderr, f"{name}: {done.stderr}")


@attack("original", NO_ENTRY)
def import_of_a_copy_under_another_key(p):
    """Somebody else claims the text: signature and key of two."""
    path = signed(p)
    p.check(author(p, "key", "new", name="thief").returncode == 0, "no second key")
    with open(public(p, "thief")) as file:
        key = file.read().split()[1]
    change(path, put("signature", "key", key))
    trust(p, public(p))
    trust(p, public(p, "thief"))
    imported(p, path, BROKEN)


@attack("original", UNSIGNED)
def import_whose_key_is_revoked_later(p):
    path = signed(p)
    trust(p, public(p))
    imported(p, path)
    trust(p, public(p), "revoke")


# ---- text as a file of its own

@attack(None, None)
def text_in_a_file_of_its_own(p):
    """Import carries it, export writes it again, with the same bytes."""
    path = signed(p, split=True)
    trust(p, public(p))
    imported(p, path)
    done = p.ktcc("cache", "export", "--lock-dir", f"{p.home}/out")
    folder = f"{p.home}/out/{os.listdir(f'{p.home}/out')[0]}" if done.returncode == 0 else p.home
    for ours, theirs in ((path, f"{folder}/NVIDIA_H200-sm_90.json"), (f"{p.home}/{text_of(p.home)}",
                                                                      f"{folder}/{text_of(folder)}")):
        with open(ours) as one, open(theirs) as other:
            p.check(one.read() == other.read(), f"{ours} and {theirs} differ")
    p.check(len(os.listdir(folder)) == 2, os.listdir(folder))
    return used(p, p.build())


def split(name, damage, said, ends="original", line="/template/text: "):
    @attack(ends, line)
    def act(p):
        write_entry(p, template())
        folder = p.entry_folder()
        author(p, "key", "new")
        p.check(author(p, "cache", "sign", folder).stdout == "1 entries signed\n", "not signed")
        damage(p, f"{folder}/{text_of(folder)}")
        done = p.build()
        p.check(re.search(said, done.stderr), done.stderr)
        return done
    act.__name__ = f"text_file_{name}"


def linked(p, path):
    os.rename(path, f"{p.home}/elsewhere.cuh")
    os.symlink(f"{p.home}/elsewhere.cuh", path)


def piped(p, path):
    os.remove(path)
    os.mkfifo(path)


def rewritten(p, path):
    """Text and hash, and not the entry's own."""
    with open(path) as file:
        text = file.read().replace("+", "-")
    os.remove(path)
    digest = hashlib.blake2b(text.encode(), digest_size=32).hexdigest()
    p.write(os.path.join(os.path.dirname(path), f"variant-{digest[:16]}.cuh"), text)
    entry = p.entry_file()
    with open(entry) as file:
        whole = json.load(file)
    whole["template"]["text"] = digest
    p.write(entry, stable(whole) + "\n")


split("that_was_changed", lambda p, path: append(path, "// \n"), "the text was changed: its hash is")
split("that_is_cut", lambda p, path: rest_of(path, 200), "the text was changed")
split("that_is_empty", lambda p, path: rest_of(path, 0), "the text was changed")
split("that_is_missing", lambda p, path: os.remove(path), "No such file")
split("that_is_a_link", linked, "is a link")
split("that_is_a_pipe", piped, "not a regular file")
split("that_is_a_folder", lambda p, path: (os.remove(path), os.mkdir(path)), "not a regular file|directory")
split("with_a_hash_of_its_own", rewritten, "/hash: the content was changed", line="/hash: ")


# ---- files of keys

def keys(name, damage, said, ends="original", line=NO_ENTRY, needs_root=False):
    """What is wrong with the user's list of trusted keys."""
    @attack(ends, line, needs_root=needs_root)
    def act(p):
        path = signed(p)
        trust(p, public(p))
        damage(p, f"{p.home}/config/ktune/trusted-keys")
        imported(p, path, said)
    act.__name__ = f"trusted_keys_{name}"


def append(path, text):
    with open(path, "a") as out:
        out.write(text)


def rest_of(path, size):
    with open(path) as file:
        text = file.read()
    with open(path, "w") as out:
        out.write(text[:size])


keys("that_everybody_may_write", lambda p, path: os.chmod(path, 0o606), "can be written by others")
keys("that_a_group_may_write", lambda p, path: os.chmod(path, 0o660), "can be written by others")
keys("of_another_user", lambda p, path: give_away(path), "belongs to another user", needs_root=True)
keys("that_are_cut", lambda p, path: rest_of(path, 40), "a line that is no key")
keys("with_another_line", lambda p, path: append(path, "../key.pub\n"), "a line that is no key")
keys("that_are_gone", lambda p, path: os.remove(path), OTHER)


@attack("original", NO_ENTRY)
def trusted_keys_of_the_project(p):
    path = signed(p)
    with open(public(p)) as file:
        key = file.read().split()[1] + "\n"
    for folder in (p.top, p.source_folder):
        for name in ("trusted-keys", "ktune/trusted-keys", ".config/ktune/trusted-keys", "ktune.lock/trusted-keys"):
            p.write(os.path.join(folder, name), key)
    imported(p, path, OTHER)


@attack("original", NO_ENTRY)
def public_key_that_is_no_whole_key(p):
    signed(p)
    with open(public(p)) as file:
        text = file.read()
    for name, wrong in (("cut", text[:50]), ("empty", ""), ("longer", text + "more\n"), ("long", text.strip() + "00\n"),
                        ("upper", text.upper()), ("secret", open(f"{p.home}/author/ktune/key").read())):
        with open(f"{p.home}/{name}.pub", "w") as out:
            out.write(wrong)
        done = p.ktcc("key", "trust", f"{p.home}/{name}.pub")
        p.check(done.returncode == 100 and "not a whole key" in done.stderr, f"{name}: {done.stderr}")
    done = p.ktcc("key", "trust", f"{p.home}/absent.pub")
    p.check(done.returncode == 100 and "absent.pub" in done.stderr, done.stderr)
    p.check(p.ktcc("key", "list").stdout == "", "a key is trusted")


@attack("original", NO_ENTRY)
def secret_key_that_is_not_its_owners_alone(p):
    path, secret = signed(p, signs=False), f"{p.home}/author/ktune/key"
    for mode in (0o640, 0o604, 0o620, 0o602):
        os.chmod(secret, mode)
        done = author(p, "cache", "sign", path)
        p.check(done.returncode == 100 and "by others: chmod 600" in done.stderr, f"{mode:o}: {done.stderr}")
    os.chmod(secret, 0o600)
    with open(secret) as file:
        text = file.read()
    for wrong in (text[:60], "", text[:-4] + ("00\n" if text[-4:-2] != "00" else "11\n"), text + "x\n"):
        with open(secret, "w") as out:
            out.write(wrong)
        done = author(p, "cache", "sign", path)
        p.check(done.returncode == 100 and "not a whole key" in done.stderr, f"{len(wrong)}: {done.stderr}")
    with open(secret, "w") as out:
        out.write(text)
    done = author(p, "key", "new")
    p.check(done.returncode == 100 and "it is kept" in done.stderr and open(secret).read() == text, done.stderr)
    os.remove(secret)
    p.check("ktcc key new" in author(p, "cache", "sign", path).stderr, "no word of what helps")
    p.check('"signature"' not in open(path).read(), "it is signed")
