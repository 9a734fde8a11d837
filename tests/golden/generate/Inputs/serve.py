"""What the generator by the IR answers: serve.py PROGRAM TOOLKIT FILE REQUEST... -- ARGUMENTS...

REQUEST: `generate`, or REGION,INSTANCE,VALUE,VALUE... of `specialise`. Prints the templates without their text, what has none,
the notes; and the text of each configuration."""
import json
import subprocess
import sys

program, toolkit, file, *rest = sys.argv[1:]
requests, arguments = rest[:rest.index("--")], rest[rest.index("--") + 1:]
lines = []
for request in requests:
    if request == "generate":
        lines.append({"verb": "generate"})
    else:
        region, instance, *values = (int(word) for word in request.split(","))
        lines.append({"verb": "specialise", "region": region, "instance": instance, "values": values})
done = subprocess.run([program, "serve", "--file", file, "--toolkit", toolkit, "--", *arguments], text=True,
                      input="".join(json.dumps(line) + "\n" for line in lines), stdout=subprocess.PIPE, check=True)
for line in done.stdout.splitlines():
    answer = json.loads(line)
    if "failed" in answer:
        print("failed:", answer["failed"])
    for t in answer.get("templates", []):
        print(f"template of {t['region']}/{t['instance']} by {t['generator']}: {t['rationale']}")
        for p in t["parameters"]:
            print(f"  {p['name']} {p['values']} original {p['original']}: {p['meaning']}")
        for kind in ("restrictions", "guards"):
            for clause in t[kind]:
                print(f"  {kind[:-1]} {clause['text']}")
        print(f"  launch <<<{t['grid']}, {t['block']}, {t['shared_bytes']}>>>")
        print("  specialised" if t["specialised"] and t["concrete"] else "  as it is")
    for d in answer.get("declined", []):
        print(f"declined {d['region']}/{d['instance']} {d['reason']} line {d['line']}: {d['detail']}")
    for a in answer.get("analysis", []):
        print(f"line {a['line']}: {a['text']}")
    if "body" in answer:
        print(answer["helpers"] + answer["head"] + answer["body"])
