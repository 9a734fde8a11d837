#!/usr/bin/env python3
"""Checks what `ktcc report` printed against the store: report_check.py STORE PAGE JSON CSV MARKDOWN."""
import base64
import csv
import hashlib
import json
import re
import sqlite3
import sys
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "img", "input"}


class Page(HTMLParser):
    """Every element is closed in order; scripts hold what they should, and nothing else is there."""

    def __init__(self):
        super().__init__()
        self.open, self.names, self.scripts = [], [], []

    def handle_starttag(self, tag, attributes):
        self.names.append(tag)
        for name, value in attributes:
            assert not name.startswith("on"), f"<{tag} {name}>"
            assert name != "src" and not (name == "href" and not value.startswith("#")), f"<{tag} {name}={value}>"
        if ("http-equiv", "Content-Security-Policy") in attributes:
            self.policy = dict(attributes)["content"]
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}>"

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data


def check_page(path, data):
    page = Page()
    with open(path, "rb") as file:
        page.feed(file.read().decode())
    page.close()
    assert not page.open and len(page.scripts) == 3 and "img" not in page.names, (page.open, page.names)
    held = json.loads(page.scripts[0])
    held["date"] = data["date"]
    assert held == data, "the page holds other data than --json prints"
    policy = " ".join("'sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() + "'" for script in page.scripts[1:])
    assert f"script-src {policy};" in page.policy, page.policy
    assert "Chart.js" in page.scripts[1] and "buildRegion" in page.scripts[2]


def stored(db):
    rows = db.execute("SELECT r.region_key, t.configuration, t.problem, t.verdict, t.median_ns, t.samples, t.measured,"
                      " CAST(t.detail AS BLOB) FROM results r JOIN spaces s ON s.trial_key = r.trial_key AND"
                      " s.device_key = r.device_key JOIN trials t ON t.space = s.id").fetchall()
    return {(key, configuration, problem): (verdict, median or 0, samples, measured or 0, detail)
            for key, configuration, problem, verdict, median, samples, measured, detail in rows}


def valid(detail):
    """The detail as UTF-8, byte by byte as base/utf8.c has it."""
    if detail is None:
        return ""
    out, at = "", 0
    while at < len(detail):
        for length in (1, 2, 3, 4):
            try:
                out += detail[at:at + length].decode()
                break
            except UnicodeDecodeError:
                continue
        else:
            out, length = out + "\ufffd", 1
        at += length
    return out


def check_json(data, trials):
    found = {}
    for region in data["regions"]:
        t = region.get("trials", {"rows": []})
        for row in t["rows"]:
            key = (region["entry"]["keys"]["region"], t["configurations"][row[0]], t["problems"][row[1]])
            found[key] = (data["verdicts"][row[2]], row[3], row[6], row[10], row[11] if len(row) > 11 else "")
    assert found.keys() == trials.keys() and len(found) == len(trials), (len(found), len(trials))
    for key, (verdict, median, samples, measured, detail) in trials.items():
        one = found[key]
        assert one[0] == verdict and abs(one[1] - median) <= .06 and one[2:4] == (samples, measured), (key, one)
        assert one[4] == valid(detail), (key, one[4], detail)


def check_chosen(rows, data):
    """The trials of what runs on each problem are marked, and no others."""
    expected = set()
    for region in data["regions"]:
        entry = region["entry"]
        for p in entry["problems"]:
            variant = p.get("variant", 0)
            if variant == 0 and entry.get("baseline_best"):
                continue
            values = entry["specialised"][variant - 1]["configuration"] if variant else entry["configuration"]
            expected.add((entry["keys"]["region"], *(" ".join(f"{k}={v}" for k, v in part.items()) for part in (p["problem"], values))))
    trials = [r for r in rows if r["table"] == "trial"]
    marked = {(r["region_key"], r["problem"], r["configuration"]) for r in trials if r["chosen"] == "1"}
    assert marked == {(r["region_key"], r["problem"], r["configuration"]) for r in trials} & expected, (marked, expected)


def check_csv(path, data, trials):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, strict=True))
    found = {(r["region_key"], r["configuration"], r["problem"]): r for r in rows if r["table"] == "trial"}
    assert found.keys() == trials.keys(), (len(found), len(trials))
    for key, (verdict, median, samples, measured, detail) in trials.items():
        one = found[key]
        assert one["verdict"] == verdict and int(one["samples"]) == samples and int(one["measured_ms"] or 0) == measured, one
        assert abs(float(one["median_ns"] or 0) - median) <= 1e-6 * median, (key, one)
        plain = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", "\ufffd", valid(detail))
        assert one["detail"].lstrip("'") == plain, (key, one["detail"])
        values = dict(re.findall(r"(\w+)=(-?\d+)(?: |$)", one["configuration"]))
        assert {k.removeprefix("parameter_"): v for k, v in one.items() if k.startswith("parameter_") and v} == values, one
    check_chosen(rows, data)
    problems = [r for r in rows if r["table"] == "problem"]
    listed = [(region["entry"]["keys"]["region"], p) for region in data["regions"] for p in region["entry"]["problems"]]
    assert len(problems) == len(listed)
    for row, (key, p) in zip(problems, listed):
        assert row["region_key"] == key and float(row["original_ns"]) == p["baseline_ns"], (row, p)
        assert float(row["tuned_ns"] or 0) == p.get("tuned_ns", 0) and float(row["bound_ns"] or 0) == p.get("floor_ns", 0), (row, p)
    assert not [v for r in rows for k, v in r.items() if v and v[0] in "=+-@\t\r" and not v.lstrip("-").isdigit()], "a formula"


def check_markdown(path, data):
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    assert not [line for line in lines if "<" in line or "`" in line or "\x1b" in line], "markup"
    # Names as people write them: what marks nothing inside of text is left alone.
    escaped = [text for line in lines for text in re.findall(r"\w&#95;\w|&#(?:33|40|41|43);", line)]
    assert not escaped, escaped
    tables = [line for line in lines if line.startswith("| ")]
    rows = sum(len(region["entry"]["problems"]) + 2 for region in data["regions"])
    summary = len(data["regions"]) + 2 if len(data["regions"]) > 1 else 0
    assert len(tables) == rows + summary, (len(tables), rows, summary)
    assert all(line.count("|") == 7 for line in tables[summary:]), tables


def main():
    store, page, data, table, markdown = sys.argv[1:]
    with sqlite3.connect(store) as db:
        trials = stored(db)
    assert trials, "the store has no trials"
    with open(data, encoding="utf-8") as file:
        data = json.load(file)
    check_page(page, data)
    check_json(data, trials)
    check_csv(table, data, trials)
    check_markdown(markdown, data)


if __name__ == "__main__":
    main()
