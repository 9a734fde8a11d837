#!/usr/bin/env python3
"""What a model's answers gain, as they came and searched: the loop with answers that lie in a folder.

  answers.py --ktcc KTCC --out FILE.csv --answers DIR [--only REGEX] [--budget 30] [--attempts 5] [--rounds 1]

DIR holds questions that `ktcc tune --ask` wrote about the plain samples and kernels of collection/, and answers beside
some of them. Each sample, and each kernel of the collection that was asked about, is tuned from cold, by rules and then with
the answers of up to --attempts attempts a round. FILE.csv has a row an answer; FILE.md, a line an instance, has

  rules      the gain of the best configuration of the rules' templates
  direct     the answers' own first values, without a search: best, geometric mean and spread over the answers
  searched   the same after a search over their parameters; an answer of which nothing was right counts as 1, the
             kernel as written
  kept       the gain of the entry, whoever wrote its template

The spread is the standard deviation of the gain's natural logarithm. FILE.open.tgz has the questions that wait for an
answer, with what was measured in them, and FILE.said.tgz the answers as transcripts. Fails where ktcc gave no answer,
or an entry is slower than what the rules found by more than the noise of both.
"""
import argparse
import glob
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tarfile

import tuning

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = os.path.abspath(f"{HERE}/../../samples")
PLAIN = ["silu_and_mul", "fused_add_rmsnorm", "merge_attn_states"]
COLUMNS = ["kernel", "instance", "round", "attempt", "repair", "generator", "label", "model", "end", "rationale", "legal",
           "tried", "wrong", "uncompiled", "direct", "speedup", "noise", "configuration", "kept", "seconds",
           "prompt_bytes", "reply_bytes"]


def sources(answers):
    """(name, file) of what there are questions about."""
    yield from ((name, f"{SAMPLES}/{name}/{name}.cu") for name in PLAIN)
    for file in sorted(glob.glob(f"{HERE}/collection/*.cu")):
        name = os.path.basename(file).removesuffix(".cu")
        if glob.glob(f"{answers}/{name}-*.reply.md"):
            yield name, file


def told(options, region, folder):
    """What the ledger says of each instance of a region."""
    done = subprocess.run([options.ktcc, "plan", "show", "--json", region], capture_output=True, text=True,
                          env=tuning.environment(options, folder))
    if done.returncode != 0:
        raise tuning.Failed(f"{region}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def row(kernel, instance, each):
    answer, search = each.get("answer", {}), each.get("tuning", {})
    trials = search.get("trials", {})
    return {"kernel": kernel, "instance": instance, "round": each["round"], "attempt": each["attempt"],
            "repair": each["repair"], "generator": each["generator"], "label": answer.get("label"),
            "model": answer.get("model"), "end": answer.get("end"),
            "rationale": answer.get("rationale", each.get("rationale")), "legal": search.get("legal"),
            "tried": trials.get("tried"), "wrong": trials.get("wrong"), "uncompiled": trials.get("uncompiled"),
            "direct": search.get("given_speedup"), "speedup": search.get("speedup"), "noise": search.get("noise"),
            "configuration": search.get("configuration"), "kept": each.get("kept"), "seconds": each.get("seconds"),
            "prompt_bytes": answer.get("prompt_bytes"), "reply_bytes": answer.get("reply_bytes")}


def spread(values):
    logs = [math.log(value) for value in values]
    mean = sum(logs) / len(logs)
    return math.sqrt(sum((value - mean) ** 2 for value in logs) / len(logs))


def answered(rows):
    """The answers of one instance, the last repair of each: what was written, not what was only asked."""
    last = {}
    for each in rows:
        if each["generator"] == "llm" and each["reply_bytes"]:
            last[each["round"], each["attempt"]] = each
    return list(last.values())


def summary(rows):
    """One line of the table; None where no answer was read."""
    answers = answered(rows)
    if not answers:
        return None
    # The author runs what came with the answer: where it is wrong, the kernel as written remains.
    direct = [each["direct"] or 1.0 for each in answers]
    searched = [each["speedup"] or 1.0 for each in answers]
    rules = max((each["speedup"] or 1.0 for each in rows if each["generator"] == "rules"), default=1.0)
    kept = max((each["speedup"] or 1.0 for each in rows if each["kept"]), default=1.0)
    return {"kernel": rows[0]["kernel"], "instance": rows[0]["instance"], "answers": len(answers),
            "of use": sum(bool(each["speedup"]) for each in answers), "rules": rules,
            "direct": (max(direct), tuning.geomean(direct), spread(direct)),
            "searched": (max(searched), tuning.geomean(searched), spread(searched)), "kept": kept}


def markdown(path, lines):
    with open(path, "w") as out:
        out.write("Gains over the kernel as written, geometric means over the problems.\n\n"
                  "| instance | answers, of use | rules | direct: best, mean, spread | searched: best, mean, spread | "
                  "kept | kept/rules |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
        for line in lines:
            direct, searched = (", ".join(f"{value:.2f}" for value in line[key]) for key in ("direct", "searched"))
            out.write(f"| {line['instance']} | {line['answers']}, {line['of use']} | {line['rules']:.2f} | {direct} | "
                      f"{searched} | {line['kept']:.2f} | {line['kept'] / line['rules']:.3f} |\n")


def pack(path, files, folder):
    with tarfile.open(path, "w:gz") as archive:
        for file in files:
            archive.add(file, os.path.relpath(file, folder))


def main():
    parser = argparse.ArgumentParser()
    tuning.arguments(parser, "answers.work")
    parser.add_argument("--answers", required=True)
    parser.add_argument("--attempts", default="5")
    parser.add_argument("--rounds", default="1")
    options = parser.parse_args()
    options.out = options.out or f"{options.work}/answers.csv"
    questions, said = (os.path.abspath(f"{options.work}/{name}") for name in ("questions", "said"))
    for folder in (questions, said):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(options.answers, questions)
    os.makedirs(said)
    limits = {"KTUNE_LLM_ATTEMPTS": options.attempts, "KTUNE_LLM_ROUNDS": options.rounds, "KTUNE_LLM_RECORD": said}
    table, failed = [], []
    for name, file in sources(questions):
        if not re.search(options.only, name):
            continue
        try:
            cases, _ = tuning.tune(options, name, file, [], extra=["--answer", questions],
                                   more=limits)
            for region in sorted({case["region"] for case in cases}):
                for instance in told(options, region, os.path.abspath(f"{options.work}/{name}")):
                    table += [row(name, instance["instance"], each) for each in instance["rounds"]]
        except tuning.Failed as failure:
            failed.append(str(failure))
        tuning.write(options.out, table, COLUMNS)
    by_instance = {}
    for each in table:
        by_instance.setdefault((each["kernel"], each["instance"]), []).append(each)
        print(f"{each['instance']} {each['generator']} {each['round']}.{each['attempt']}.{each['repair']} "
              f"{each['end'] or ''}: direct {each['direct'] or 0:.3f} searched {each['speedup'] or 0:.3f} "
              f"{each['configuration'] or ''}")
    lines = [line for line in map(summary, by_instance.values()) if line]
    failed += [f"{line['instance']}: kept {line['kept']:.3f}, the rules alone {line['rules']:.3f}" for line in lines
               if line["kept"] < line["rules"] * 0.99]
    stem = options.out.removesuffix(".csv")
    markdown(f"{stem}.md", lines)
    everything = glob.glob(f"{questions}/*.md")
    pack(f"{stem}.open.tgz", [file for file in everything if not file.endswith(".reply.md")
                              and f"{file[:-3]}.reply.md" not in everything], questions)
    pack(f"{stem}.said.tgz", glob.glob(f"{said}/*"), said)
    print(open(f"{stem}.md").read() + "\n".join(failed))
    sys.exit(bool(failed or not lines))


if __name__ == "__main__":
    main()
