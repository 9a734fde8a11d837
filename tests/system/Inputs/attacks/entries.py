"""Entries that anybody could have written: configurations, rules, times, names, recipes. Data in all of its members."""
import json
import os

from harness import attack
from servers import Listener
from texts import BODY, HEAD, rehashed, stable, template, text_project, write_entry

INJECTION = "1) { system(\"touch owned\"); } if (n"
UNFIT = "does not fit the region"
DAMAGED = "an entry is damaged"


def put(*path_and_value):
    *path, last, value = path_and_value

    def act(entry):
        for step in path:
            entry = entry[step]
        entry[last] = value
    return act


def hostile(name, change, says):
    """A good entry of parameters of the source, with a hash that belongs to what was made of it."""
    @attack("original", says)
    def act(p):
        path = p.entry_file()
        with open(path) as file:
            entry = json.load(file)
        change(entry)
        with open(path, "w") as out:
            out.write(stable(rehashed(entry)) + "\n")
    act.__name__ = f"entry_with_{name}"


def special(when, **configuration):
    def act(entry):
        entry["specialised"] = [{**entry["specialised"][0], "when": when,
                                 "configuration": {**entry["configuration"], **configuration}}]
    return act


def aligned(**one):
    return put("aligned", [one])


def unlisted(**changed):
    return put("unlisted", [{"problem": {"n": 1000}, "baseline_ns": 1000, "tuned_ns": 900, **changed}])


def rename(old, new):
    def act(entry):
        for one in [entry, *entry["specialised"]]:
            one["configuration"] = {new if key == old else key: value for key, value in one["configuration"].items()}
    return act


for _name, _change, _says in (
        ("a_value_that_is_not_declared", put("configuration", "BLOCK", 96), UNFIT),
        ("a_value_of_zero", put("configuration", "BLOCK", 0), UNFIT),
        ("a_negative_value", put("configuration", "ITEMS", -1), UNFIT),
        ("the_smallest_value", put("configuration", "BLOCK", -2**63), f"{UNFIT}|{DAMAGED}"),
        ("the_largest_value", put("configuration", "BLOCK", 2**63 - 1), f"{UNFIT}|{DAMAGED}"),
        ("a_value_beyond_64_bits", put("configuration", "BLOCK", 2**64), DAMAGED),
        ("a_value_with_a_fraction", put("configuration", "BLOCK", 128.5), DAMAGED),
        ("a_value_that_is_text", put("configuration", "BLOCK", "128); system(\"x\"); ("), DAMAGED),
        ("a_restriction_broken", lambda e: e["configuration"].update(BLOCK=512, ITEMS=4), UNFIT),
        ("a_special_restriction_broken", special("n == 1048576", BLOCK=512, ITEMS=4), UNFIT),
        ("a_special_value_that_is_not_declared", special("n == 1048576", BLOCK=96), UNFIT),
        ("another_parameter", rename("BLOCK", "OTHER"), UNFIT),
        ("a_parameter_that_is_a_name_of_the_source", rename("BLOCK", "scale"), UNFIT),
        ("a_parameter_that_is_code", rename("BLOCK", "BLOCK 64\n#error"), DAMAGED),
        ("one_parameter_more", put("configuration", "MORE", 1), f"{UNFIT}|{DAMAGED}"),
        ("a_rule_that_is_code", special(INJECTION), DAMAGED),
        ("a_rule_that_calls", special("getenv(n)"), DAMAGED),
        ("a_rule_that_assigns", special("n = 0"), DAMAGED),
        ("a_rule_that_ends", special("n == 1; n"), DAMAGED),
        ("a_rule_with_a_comment", special("n == 1 /* */"), DAMAGED),
        ("a_rule_over_a_name_of_the_source", special("cudaErrorUnknown == n"), DAMAGED),
        ("a_rule_over_a_parameter", special("BLOCK == 64"), DAMAGED),
        ("a_deep_rule", special("(" * 4000 + "n" + ")" * 4000), DAMAGED),
        ("a_name_that_is_a_path", put("name", "../../saxpy"), DAMAGED),
        ("a_kernel_that_is_code", put("kernel", "saxpy\"); system(\"x"), DAMAGED),
        ("an_instance_with_a_line_end", put("instance", "saxpy\n#error"), DAMAGED),
        ("a_device_that_is_code", put("device", "name", "x\"}; int owned; //"), DAMAGED),
        ("a_device_without_processors", put("device", "multiprocessors", 0), DAMAGED),
        ("a_time_that_is_negative", put("problems", 0, "baseline_ns", -1), DAMAGED),
        ("a_time_that_is_endless", put("problems", 0, "baseline_ns", 1e300), DAMAGED),
        ("a_variant_that_is_not_there", put("problems", 0, "variant", 7), DAMAGED),
        ("a_variant_far_away", put("problems", 0, "variant", 2**40), DAMAGED),
        ("a_problem_of_other_variables", put("problems", 0, "problem", {"system": 1}), DAMAGED),
        ("an_aligned_pointer_that_is_code", aligned(argument="y, 16) || system(\"x\""), DAMAGED),
        ("an_aligned_pointer_of_no_name", aligned(argument="nothing"), UNFIT),
        ("an_aligned_number", aligned(argument="n"), UNFIT),
        ("an_aligned_parameter", aligned(argument="BLOCK"), UNFIT),
        ("an_aligned_name_of_the_source", aligned(argument="scale"), UNFIT),
        ("an_aligned_word_of_the_language", aligned(argument="device"), f"{UNFIT}|{DAMAGED}"),
        ("an_aligned_pointer_that_is_long", aligned(argument="y" * 4000), f"{UNFIT}|{DAMAGED}"),
        ("an_aligned_variant_that_is_not_there", aligned(variant=2, argument="y"), DAMAGED),
        ("an_aligned_variant_below_zero", aligned(variant=-1, argument="y"), DAMAGED),
        ("no_aligned_pointer", put("aligned", []), DAMAGED),
        ("a_thousand_aligned_pointers", put("aligned", [{"argument": "y"}] * 1000), DAMAGED),
        ("an_aligned_pointer_that_is_nested", put("aligned", [[{"argument": "y"}]]), DAMAGED),
        ("an_unlisted_size_of_other_variables", unlisted(problem={"system": 1}), DAMAGED),
        ("an_unlisted_size_that_is_text", unlisted(problem={"n": "1); system(0"}), DAMAGED),
        ("an_unlisted_variant_that_is_not_there", unlisted(variant=7), DAMAGED),
        ("an_unlisted_variant_below_the_original", unlisted(variant=-2), DAMAGED),
        ("an_unlisted_time_of_zero", unlisted(tuned_ns=0), DAMAGED),
        ("an_unlisted_time_that_is_endless", unlisted(baseline_ns=1e300), DAMAGED),
        ("a_thousand_unlisted_sizes", put("unlisted", [{"problem": {"n": 1}, "baseline_ns": 1, "tuned_ns": 1}] * 1000), DAMAGED),
        ("more_left_out_than_there_are", put("unlisted_left_out", 65), DAMAGED),
        ("a_recipe_beside_its_parameters", put("recipe", {"passes": [], "text": "0" * 64}), f"{UNFIT}|{DAMAGED}"),
        ("a_format_of_the_future", put("ktune", 1000), DAMAGED),
        ("a_member_that_is_a_command", put("shell", "touch owned"), DAMAGED),
        ("a_member_of_a_prototype", put("__proto__", {"shell": "touch owned"}), DAMAGED)):
    hostile(_name, _change, _says)


def file(name, text, says=DAMAGED):
    @attack("original", says)
    def act(p):
        path = p.entry_file()
        with open(path) as old:
            whole = old.read()
        with open(path, "wb") as out:
            out.write(text(whole.encode()))
    act.__name__ = f"entry_file_{name}"


file("that_is_empty", lambda whole: b"")
file("that_is_cut", lambda whole: whole[:200])
file("that_is_deep", lambda whole: b"[" * 100000)
file("that_is_long", lambda whole: whole + b" " * (5 << 20))
file("with_a_zero_byte", lambda whole: whole.replace(b'"saxpy"', b'"saxpy\\u0000x"', 1))
file("of_other_bytes", lambda whole: bytes(range(256)) * 64)
file("with_a_member_twice", lambda whole: whole.replace(b'"kernel":', b'"kernel": "x",\n  "kernel":', 1))
file("whose_hash_differs", lambda whole: whole.replace(b'"BLOCK": 256', b'"BLOCK": 512', 1))


# ---- what becomes host code of a text: guards, geometry, memory

def text(name, says=DAMAGED, change=None, **more):
    @attack("original", says)
    def act(p):
        write_entry(p, template(**more), change)
    act.__name__ = f"text_entry_with_{name}"


def condition(expression):
    return [{"text": expression, "reason": "none"}]


for _name, _expression in (("code", INJECTION), ("a_call", "system(n)"), ("a_call_of_the_source", "count_calls(1)"),
                           ("an_assignment", "n = 1"), ("a_statement", "n; system(0)"), ("a_string", "\"x\" == n"),
                           ("a_macro", "__LINE__ == n"), ("a_member", "y.owned"), ("an_address", "&n")):
    text(f"a_guard_that_is_{_name}", f"{DAMAGED}|{UNFIT}", guards=condition(_expression))
    text(f"a_grid_that_is_{_name}", f"{DAMAGED}|{UNFIT}", grid=[_expression])
text("a_grid_over_a_name_of_the_source", UNFIT, grid=["host_calls"])
text("a_guard_over_a_name_of_the_source", UNFIT, guards=condition("host_calls == 0"))
text("four_extents", DAMAGED, grid=["1", "1", "1", "1"])
text("no_block", DAMAGED, block=[])
text("a_block_beyond_the_device", f"{UNFIT}", block=["BLOCK * 1024"])
text("memory_beyond_the_device", f"{UNFIT}", shared_bytes="1 << 30")
text("temporaries_without_kernels", DAMAGED,
     temporaries=[{"name": "t", "element": "float", "count": "n"}])
text("a_parameter_that_is_a_word_of_the_language", "/", change=None,
     parameters=[{"name": "int", "values": [128], "original": None, "meaning": "x"}])
text("a_generator_that_is_the_rules", DAMAGED, generator="rules")
text("a_rationale_of_two_lines", DAMAGED, rationale="a\n*/ int owned; /*")


@attack(None, None)
def text_entry_whose_names_are_the_users(p):
    """Kernel arguments, helpers and types spelled as what the host uses after the kernel."""
    write_entry(p, template("__device__ float scaled(float v) { return 2.0f * v; }\n"
                            "__device__ int count_calls(int by) { return by; }\nstruct host_calls { int first; };",
                            BODY % "(scaled(scale(x[i], a)) + count_calls(host_calls{0}.first))", HEAD))
    done = p.build()
    lines = [line for line in p.object().splitlines() if "ktune_v_" in line]
    p.check(lines and not [line for line in lines if "scaled(" in line or "count_calls(" in line or
                           "host_calls{" in line], lines)
    return done


@attack("original", "an entry is damaged.*/keys: the entry of another region or device")
def server_with_the_entry_of_another_region(p):
    with open(p.entry_file()) as file_:
        body = file_.read()
    text_project(p)
    os.rename(p.lock, f"{p.home}/aside")
    with Listener("200 OK", (), body) as server:
        p.settings.update(REMOTE=server.address, REMOTE_MS="20000")
        return p.build()
