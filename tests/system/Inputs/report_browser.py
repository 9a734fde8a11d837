#!/usr/bin/env python3
"""Opens a report in headless Chromium: report_browser.py PAGE [--most-ms N] [--shots FOLDER].

Opens every region and every table, and says how long the page took until its first region was there. Fails on a message
of the console, on markup or scripts out of the data, and where the page is not complete or took longer.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

OPEN_ALL = """<script>
document.getElementById("all").click();
setTimeout(() => {
  for (let round = 0; round < 3; round++) document.querySelectorAll("details").forEach(node => { node.open = true; });
  document.querySelectorAll(".bar button").forEach(button => button.click());
  const canvas = document.querySelector("canvas");
  canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
  setTimeout(() => {
    const root = document.documentElement.dataset;
    root.regions = document.querySelectorAll("details.region > .body").length;
    root.charts = document.querySelectorAll("canvas").length;
    root.drawn = [...document.querySelectorAll("figure")].filter(figure => figure.chart).length;
    root.said = document.getElementById("live").textContent;
    root.attacked = String(window.attacked);
  }, 300);
}, 300);
</script></body>"""


def chromium(page, *arguments):
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                               "--enable-logging=stderr", "--hide-scrollbars", "--force-device-scale-factor=1", *arguments,
                               f"file://{os.path.abspath(page)}"], capture_output=True, text=True, timeout=240)
    messages = [line for line in done.stderr.split("\n") if "CONSOLE" in line]
    if messages:
        sys.exit("\n".join(messages))
    return done.stdout


def of(dom, name):
    found = re.search(rf'<html[^>]* data-{name}="([^"]*)"', dom)
    if not found:
        sys.exit(f"the page has no {name}: {dom[:300]}")
    return found.group(1)


def check_all(page):
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "all.html")
        with open(page, encoding="utf-8") as file, open(copy, "w", encoding="utf-8") as to:
            whole = file.read()
            # The policy of the page lets no script of a test run.
            whole, policies = re.subn("<meta http-equiv=.Content-Security-Policy.[^>]*>", "", whole, count=1)
            assert policies == 1, "the page has no policy"
            end = whole.rindex("</body>")
            to.write(whole[:end] + OPEN_ALL + whole[end + len("</body>"):])
        dom = chromium(copy, "--virtual-time-budget=20000", "--dump-dom")
    regions, charts, drawn = (int(of(dom, name)) for name in ("regions", "charts", "drawn"))
    links = len(re.findall(r'href="#region-\d+"', dom))
    assert regions == links > 0, (regions, links)
    assert charts == drawn >= regions, (charts, drawn)
    assert of(dom, "attacked") == "undefined" and "<img" not in dom.split("<script", 1)[0]
    assert of(dom, "said"), "an arrow key said nothing"
    return regions, charts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page")
    parser.add_argument("--most-ms", type=int, default=2000)
    parser.add_argument("--shots")
    asked = parser.parse_args()
    taken = min(int(of(chromium(asked.page, "--dump-dom"), "ready")) for _ in range(2))
    assert taken <= asked.most_ms, f"{taken} ms until the first region was there"
    regions, charts = check_all(asked.page)
    views = {"light": (1280, 2400, 1), "dark": (1280, 2400, 0), "narrow": (420, 2400, 1)}
    for name, (width, height, scheme) in views.items() if asked.shots else ():
        chromium(asked.page, f"--window-size={width},{height}", f"--blink-settings=preferredColorScheme={scheme}",
                 f"--screenshot={os.path.join(os.path.abspath(asked.shots), name)}.png")
    print(f"{regions} regions, {charts} charts, the first region after {taken} ms")


if __name__ == "__main__":
    main()
