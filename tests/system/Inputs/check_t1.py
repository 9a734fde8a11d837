"""check_t1.py T1 COUNTS COUNTS: the file is a T1 input file, both counts agree."""
import importlib.util
import json
import os
import pathlib
import sys


def schema():
    """The published schema: KTUNE_T1_SCHEMA, else that of an installed Kernel Tuner, else None."""
    if "KTUNE_T1_SCHEMA" in os.environ:
        return pathlib.Path(os.environ["KTUNE_T1_SCHEMA"])
    spec = importlib.util.find_spec("kernel_tuner")
    if spec is None:
        return None
    path = pathlib.Path(spec.submodule_search_locations[0]) / "schema/T1/1.0.0/input-schema.json"
    return path if path.exists() else None


t1, source, again = (json.load(open(path)) for path in sys.argv[1:4])
assert source["legal"] == again["legal"] > 0, (source, again)
assert source["cartesian"] == again["cartesian"]
space, kernel = t1["ConfigurationSpace"], t1["KernelSpecification"]
names = [parameter["Name"] for parameter in space["TuningParameters"]]
values = [eval(parameter["Values"]) for parameter in space["TuningParameters"]]
assert all(isinstance(value, int) for one in values for value in one)
for condition in space["Conditions"]:
    assert set(condition["Parameters"]) <= set(names), condition
    compile(condition["Expression"], "condition", "eval")
assert kernel["Language"] == "CUDA" and set(kernel["LocalSize"]) == {"X", "Y", "Z"}
assert [argument["MemoryType"] for argument in kernel["Arguments"]] == ["Vector", "Vector", "Scalar"]
if schema() is not None:
    import jsonschema

    jsonschema.validate(t1, json.load(open(schema())))
