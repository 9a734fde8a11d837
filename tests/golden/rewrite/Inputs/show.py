"""Prints what `ktcc-clang rewrite` answered (standard input) for people and FileCheck."""
import json
import sys

answer = json.load(sys.stdin)
for template in answer["templates"]:
    print("template of", template["region"], template["instance"])
    for parameter in template["parameters"]:
        print(" parameter", parameter["name"], *parameter["values"])
    for kind in ("restrictions", "guards", "strategies"):
        for clause in template[kind]:
            print("", kind[:-1].replace("strategie", "strategy"), clause.get("text", clause.get("name")))
    print(" grid", " | ".join(template["grid"]))
    print(template["helpers"] + template["head"] + "\n" + template["body"])
for refusal in answer["declined"]:
    print("declined", refusal["reason"], "line", refusal["line"], refusal["detail"])
for fact in answer["analysis"]:
    print("line", fact["line"], fact["text"])
