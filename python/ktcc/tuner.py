"""Tuning in the words of Kernel Tuner.

`tune_kernel` takes a subset of the arguments of Kernel Tuner's function of that name. `python3 -m ktcc.tuner FILE` tunes
the problem of a T1 file. Both write an annotated source and start the program `ktcc`, which does the work.
"""
from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from typing import Any, Callable, Iterator, Mapping, Sequence

from .annotate import Problem, annotate, line_in_source, original_of
from .arguments import check_unsupported, problem_of
from .legal import is_legal
from .members import T1Warning
from .t1 import read_t1, write_t4

__all__ = ["TuningError", "read_entry", "read_t1", "read_trials", "tune", "tune_kernel"]

_WRONG = ("wrong-answer", "out-of-bounds", "non-deterministic")
# Options of `ktcc tune` that the program takes for a T1 file as well.
_FLAGS = ("retune", "refresh")
_TEXTS = ("strategy", "budget", "seed", "lock-dir", "record", "relax")
Progress = Callable[[Mapping[str, Any]], None]


class TuningError(RuntimeError):
    """`ktcc` ended with a failure; the text is what it printed."""


def _program() -> str:
    here = os.path.dirname(os.path.abspath(__file__))
    # Named, of a wheel, or of the installation whose share/ktcc/python holds this file.
    prefixes = [os.environ.get("KTUNE_PREFIX"), os.path.join(here, "prefix"), os.path.normpath(os.path.join(here, *[os.pardir] * 4))]
    paths = [os.path.join(prefix, "bin", "ktcc") for prefix in prefixes if prefix]
    found = next((path for path in paths if os.access(path, os.X_OK)), None) or shutil.which("ktcc")
    if found is None:
        raise TuningError("the program ktcc was not found; put it on PATH, or name its installation in KTUNE_PREFIX")
    return found


def _events(arguments: Sequence[str], progress: Progress | None, line: Callable[[str], None] | None = None) -> list[dict[str, Any]]:
    """Runs `ktcc tune`; the results of the region instances. `line` gets each line that it prints."""
    results: list[dict[str, Any]] = []
    # A file, not a pipe, which would be full while events are read.
    with tempfile.TemporaryFile("w+", errors="replace") as said:
        with subprocess.Popen([_program(), "tune", "--events", *arguments], stdout=subprocess.PIPE, stderr=said, text=True) as process:
            assert process.stdout is not None
            try:
                for text in process.stdout:
                    event = json.loads(text)
                    if line is not None:
                        line(text)
                    if event["event"] == "result":
                        results.append(event["result"])
                    elif progress is not None:
                        progress(event)
            except BaseException:
                process.terminate()
                raise
        said.seek(0)
        text = said.read().strip()
    if process.returncode != 0:
        raise TuningError(text or f"ktcc ended with {process.returncode}")
    return results


def tune(file: str, flags: Sequence[str] = (), *, budget: str | None = None, strategy: str | None = None, seed: int | None = None,
         progress: Progress | None = None) -> list[dict[str, Any]]:
    """Tunes the regions of an annotated file. A record for each region instance, as `ktcc tune --json` prints it.

    `progress` is called with each event of docs/cli.md, "Events of a tuning".
    """
    options = [f"--{name}={value}" for name, value in (("budget", budget), ("strategy", strategy), ("seed", seed)) if value is not None]
    return _events([*options, os.fspath(file), "--", *flags], progress)


def read_entry(path: str) -> dict[str, Any]:
    """An entry of a lock directory; docs/store.md says what it holds."""
    with open(path, encoding="utf-8") as file:
        entry = json.load(file)
    if not isinstance(entry, dict) or "ktune" not in entry:
        raise ValueError(f"{path} is no entry; name a file below ktune.lock/")
    return entry


def read_trials(name: str) -> list[dict[str, Any]]:
    """All measurements of a region or instance in the store, of every problem and device: a record for each, which pandas takes."""
    records = []
    data = _region_data(name)
    for region in data["regions"]:
        trials = region.get("trials", {"columns": [], "rows": []})
        for row in trials["rows"]:
            trial = dict(zip(trials["columns"], row))
            verdict = data["verdicts"][trial["verdict"]]
            time = trial["median_ns"] * 1e-6 if verdict == "ok" and trial["median_ns"] > 0 else math.nan
            records.append({"instance": region["entry"]["instance"], "device": region["entry"]["device"]["name"],
                            "problem": trials["problems"][trial["problem"]], "configuration": trials["configurations"][trial["configuration"]],
                            "time": time, "verdict": verdict, "detail": trial.get("detail") or "",
                            **{member: trial[member] for member in ("registers", "shared_bytes", "local_bytes", "samples")}})
    return records


def tune_kernel(kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Sequence[Any], tune_params: Mapping[str, Sequence[int]],
                *, grid_div_x: Any = None, grid_div_y: Any = None, grid_div_z: Any = None, restrictions: Any = None, lang: str | None = None,
                compiler_options: Sequence[str] | None = None, strategy: str | None = None,
                strategy_options: Mapping[str, Any] | None = None, block_size_names: Sequence[str] | None = None,
                atol: float | None = None, reference: str | None = None, verbose: bool = False, progress: Progress | None = None, **unsupported: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Tunes a kernel; the records of all configurations that were tried, and the environment, as Kernel Tuner returns them.

    kernel_source: a file's name, or the source. arguments: numpy arrays and scalars, or Buffer and Scalar. Pointers to
    const are inputs, all others are read and written. Data is made by ktcc, within the range of each array.
    The first configuration that the restrictions allow is the original, with which all others are compared; or, where
    `reference` names a host function of the source, with what that computes.
    A record has the parameters, `time` (milliseconds; NaN where the configuration failed), `verdict` and `detail`.
    """
    check_unsupported(unsupported)
    problem, folder = problem_of(kernel_name, kernel_source, problem_size, arguments, tune_params, (grid_div_x, grid_div_y, grid_div_z),
                                 restrictions, lang, block_size_names, atol, reference)
    return _run(problem, folder, list(compiler_options or ()), _options(strategy, dict(strategy_options or {})), verbose, progress)


def _options(strategy: str | None, settings: dict[str, Any]) -> list[str]:
    """Strategy and limits as options of `ktcc tune`."""
    # The program knows the names, and lists them where one is unknown.
    options = [f"--strategy={strategy}"] if strategy is not None else []
    limits = [f"{int(settings.pop('max_fevals'))}n"] if "max_fevals" in settings else []
    limits += [f"{float(settings.pop('time_limit')):g}s"] if "time_limit" in settings else []
    if settings:
        raise ValueError(f"strategy options {', '.join(map(repr, settings))} are not supported; max_fevals and time_limit are")
    return [*options, "--budget", ",".join(limits)] if limits else options


def _explain(text: str, folder: str, problem: Problem) -> str:
    """What ktcc printed, with places in the user's source, and what a name that is not declared is."""
    found = re.search(r"(?:undeclared identifier|unknown name|identifier) ['\"](\w+)['\"]", text)
    hint = ""
    if found is not None and found.group(1) not in problem.parameters:
        hint = (f"\n'{found.group(1)}' is none of the tuning parameters {', '.join(problem.parameters)}; add it to them (tune_params), "
                f"or define it by a flag of the compiler (-D{found.group(1)}=…)")
    return _in_source(text, folder, problem) + hint


def _in_source(text: str, folder: str, problem: Problem) -> str:
    """Places in the copy are those in the user's file. Lines that were made for the tuner have none there."""
    file = problem.file or "kernel_source"

    def at(line: str, column: str = "") -> str:
        found = line_in_source(problem, int(line))
        return f"{file}:{found}{column}" if found is not None else f"{file}, line {line} of the annotated source, which was made of the arguments"

    text = re.sub(rf"{re.escape(folder + os.sep)}[^\s:'\"]+?\.c[ul](?::(\d+)(:\d+)?)?",
                  lambda found: at(found.group(1), found.group(2) or "") if found.group(1) else file, text)
    return re.sub(r"\bline (\d+)(?=: )", lambda found: at(found.group(1)), text)


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """SIGTERM and SIGHUP end the program as an exception does, so that nothing is left in the folder of temporary files."""

    def end(number: int, frame: Any) -> None:
        raise SystemExit(128 + number)

    mine = threading.current_thread() is threading.main_thread()
    caught = [number for number in (signal.SIGTERM, signal.SIGHUP) if mine and signal.getsignal(number) is signal.SIG_DFL]
    for number in caught:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in caught:
            signal.signal(number, signal.SIG_DFL)


def _run(problem: Problem, include: str | None, flags: list[str], options: Sequence[str], verbose: bool, progress: Progress | None,
         output: str | None = None, line: Callable[[str], None] | None = None) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    def show(event: Mapping[str, Any]) -> None:
        if verbose and event.get("improved"):
            print(f"{problem.kernel}: {event['configuration']}: {event['speedup']:.2f}x", file=sys.stderr)
        if progress is not None:
            progress(event)

    source = annotate(problem)
    with _ended_by_signals(), tempfile.TemporaryDirectory(prefix="ktcc-tune-") as folder:
        path = os.path.join(folder, problem.kernel + (".cl" if problem.opencl else ".cu"))
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        include_flags = [f"-I{include}"] if include else []
        try:
            results = _events([*options, path, "--", *include_flags, *flags], show, line)
            entry = results[0].get("entry") if results else None
            if entry is None:
                raise TuningError("ktcc tune gave no entry of the kernel; set KTUNE_LOG to a file, which tells why")
            records = _records(entry, problem)
            if output is not None:
                write_t4(output, records, list(problem.parameters))
        except TuningError as error:
            raise TuningError(_explain(str(error), folder, problem)) from None
    return records, _environment(problem, source, entry, results, records)


def _environment(problem: Problem, source: str, entry: Mapping[str, Any], results: list[dict[str, Any]],
                 records: list[dict[str, Any]]) -> dict[str, Any]:
    chosen, timing = _chosen(entry), entry["problems"][0]
    best = {**chosen, "time": timing.get("tuned_ns", timing["baseline_ns"]) * 1e-6}
    timed = [record for record in records if not math.isnan(record["time"])]
    suspicion = _suspicion(problem, records)
    if suspicion is not None:
        warnings.warn(suspicion, RuntimeWarning, stacklevel=4)
    return {"tool": entry.get("provenance", {}).get("tool", "ktcc"), "device_name": entry["device"]["name"], "best_config": best,
            "gain": timing.get("speedup", 1.0), "keeps_original": bool(entry.get("baseline_best")) and chosen == entry["configuration"],
            "original": original_of(problem), "best_sample": min(timed, key=lambda record: record["time"], default=None),
            "flags": [f"-D{name}={value}" for name, value in chosen.items()], "source": source, "entry": entry, "results": results}


def _chosen(entry: Mapping[str, Any]) -> dict[str, int]:
    """The configuration that runs on the problem."""
    variant = entry["problems"][0].get("variant", 0)
    return dict(entry["specialised"][variant - 1]["configuration"] if variant > 0 else entry["configuration"])


def _suspicion(problem: Problem, records: Sequence[Mapping[str, Any]]) -> str | None:
    """Where nearly all others are wrong, the original is more likely to be."""
    original = original_of(problem)
    others = [record for record in records if any(record[name] != value for name, value in original.items())]
    wrong = [record for record in others if record["verdict"] in _WRONG]
    if len(others) < 3 or len(wrong) < 0.8 * len(others):
        return None
    text = " ".join(f"{name}={value}" for name, value in original.items())
    return (f"{problem.kernel}: {len(wrong)} of {len(others)} configurations gave other results than {text}, with which they were compared; that one is "
            f"probably wrong: add the restrictions that it violates, or put values first that are right (Default in a T1 file)")


def _report(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What the store has of the entry: the data of `ktcc report`."""
    data = _region_data(entry["keys"]["region"])
    regions = [region for region in data["regions"] if region["entry"]["keys"]["device"] == entry["keys"]["device"]]
    return {"verdicts": data["verdicts"], **(regions[0] if regions else {})}


def _region_data(name: str) -> dict[str, Any]:
    done = subprocess.run([_program(), "report", "--json", name], capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        raise TuningError(done.stderr.strip() or f"ktcc report ended with {done.returncode}")
    data: dict[str, Any] = json.loads(done.stdout)
    return data


def _records(entry: Mapping[str, Any], problem: Problem) -> list[dict[str, Any]]:
    """What was measured of the configurations of this problem, in this run and in earlier ones."""
    data = _report(entry)
    trials = data.get("trials", {"columns": [], "rows": [], "configurations": [], "problems": []})
    listed = " ".join(f"{name}={value}" for name, value in entry["problems"][0]["problem"].items())
    records = []
    for row in trials["rows"]:
        trial = dict(zip(trials["columns"], row))
        words = (word.split("=") for word in trials["configurations"][trial["configuration"]].split())
        values = {name: int(value) for name, value in words}
        if trials["problems"][trial["problem"]] != listed or not _is_of(values, problem):
            continue
        verdict = data["verdicts"][trial["verdict"]]
        time = trial["median_ns"] * 1e-6 if verdict == "ok" and trial["median_ns"] > 0 else math.nan
        records.append({**values, "time": time, "verdict": verdict, "detail": trial.get("detail") or ""})
    return records


def _is_of(values: Mapping[str, int], problem: Problem) -> bool:
    return (set(values) == set(problem.parameters) and all(values[name] in allowed for name, allowed in problem.parameters.items())
            and is_legal(values, problem.restrictions))


def _print_result(records: Sequence[Mapping[str, Any]], environment: Mapping[str, Any], kernel: str) -> None:
    """The chosen configuration first, then the fastest samples, then how many failed and why the first did."""
    best = dict(environment["best_config"])
    time = best.pop("time")
    text = " ".join(f"{name}={value}" for name, value in best.items())
    kept = "keeps the original, " if environment["keeps_original"] else ""
    print(f"{kernel} on {environment['device_name']}: {kept}{text}: {environment['gain']:.2f}x, {time:.6g} ms (comparison time)")
    if any(not math.isnan(record["time"]) for record in records):
        print("fastest in the search (search times, each of one short measurement; not to be compared with the time above):")
    for record in sorted((r for r in records if not math.isnan(r["time"])), key=lambda r: r["time"])[:5]:
        print(json.dumps(record))
    print(f"{len(records)} configuration{'' if len(records) == 1 else 's'} on {environment['device_name']}")
    failed = [record for record in records if record["verdict"] != "ok"]
    for verdict in dict.fromkeys(record["verdict"] for record in failed):
        alike = [record for record in failed if record["verdict"] == verdict]
        first = " ".join(f"{name}={alike[0][name]}" for name in best)
        print(f"{len(alike)} {verdict}; the first: {first}: {alike[0]['detail'] or 'no detail was recorded'}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m ktcc.tuner", description="Tunes the problem of a T1 file; prints what was chosen.")
    parser.add_argument("file", help="a T1 file, with KernelFile beside it")
    parser.add_argument("-o", "--output", help="where the T4 file goes, with what was measured")
    parser.add_argument("--source", action="store_true", help="print the annotated source, tune nothing")
    parser.add_argument("--json", action="store_true", help="print what ktcc tune --json prints")
    parser.add_argument("--events", action="store_true", help="print what ktcc tune --events prints")
    for flag in _FLAGS:
        parser.add_argument(f"--{flag}", action="store_true", help="that of ktcc tune")
    for name in _TEXTS:
        parser.add_argument(f"--{name}", help="that of ktcc tune")
    parser.epilog = "After -- follow flags of the compiler."
    return parser


def _passed_on(asked: argparse.Namespace, problem: Problem) -> list[str]:
    """Options of `ktcc tune`. What neither they nor the environment set is what the file asks for."""
    given = {name: getattr(asked, name.replace("-", "_")) for name in _TEXTS}
    for name, wanted in (("strategy", problem.strategy), ("budget", problem.budget)):
        if given[name] is None and f"KTUNE_{name.upper()}" not in os.environ:
            given[name] = wanted
    return [*(f"--{flag}" for flag in _FLAGS if getattr(asked, flag)),
            *(f"--{name}={value}" for name, value in given.items() if value is not None)]


def main(arguments: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    own = words.index("--") if "--" in words else len(words)
    asked, flags = _parser().parse_args(words[:own]), words[own + 1:]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = lambda message, *place: print(message if isinstance(message, T1Warning) else f"{asked.file}: {message}", file=sys.stderr)
            problem, folder = read_t1(asked.file)
            if asked.source:
                sys.stdout.write(annotate(problem))
                return 0
            line = (lambda text: print(text, end="", flush=True)) if asked.events else None
            records, environment = _run(problem, folder, [*problem.flags, *flags], _passed_on(asked, problem), not asked.events, None, asked.output,
                                        line)
    except (OSError, KeyError, ValueError, TuningError) as error:
        text = f"member {error} is missing; add it to the T1 file" if isinstance(error, KeyError) else str(error)
        print(f"{asked.file}: {text}", file=sys.stderr)
        return 1
    if asked.json and not asked.events:
        print(json.dumps(environment["results"], indent=2))
    elif not asked.events:
        _print_result(records, environment, problem.kernel)
    return 0


if __name__ == "__main__":
    sys.exit(main())
