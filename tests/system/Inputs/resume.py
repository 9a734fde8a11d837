"""resume.py KTCC FILE FOLDER: kills a search at a random instant, twice, and lets it finish."""
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

ktcc, source, folder = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder + "/lock")
environment = dict(os.environ, KTUNE_CACHE_DIR=folder + "/cache", KTUNE_LOCK_DIR=folder + "/lock")
command = [ktcc, "tune", "--json", "--budget", "60", source]


def measured():
    """Configurations with a trial on every problem."""
    try:
        store = sqlite3.connect(f"file:{folder}/cache/store.sqlite?mode=ro", uri=True)
        rows = store.execute("SELECT configuration FROM trials GROUP BY configuration HAVING count(*) = 2").fetchall()
        store.close()
    except sqlite3.OperationalError:
        return set()
    return {row[0] for row in rows}


known = set()
for attempt in range(2):
    child = subprocess.Popen(command, env=environment, start_new_session=True, stdout=subprocess.DEVNULL)
    before = len(known)
    while len(known) <= before and child.poll() is None:
        time.sleep(0.02)
        known = measured()
    time.sleep(random.uniform(0, 0.5))
    child.send_signal(signal.SIGKILL)
    child.wait()
known = measured()
answer = json.loads(subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE).stdout)[0]
print(f"{len(known)} configurations before the last start, {answer['recalled']} recalled, {answer['tried']} tried")
assert known and answer["recalled"] == len(known), "a measured configuration was measured again"
assert answer["tried"] == len(measured()) and answer["tuned"]
# The runner of a killed search ends with it.
time.sleep(0.5)
left = subprocess.run(["pgrep", "-f", folder], stdout=subprocess.PIPE, text=True).stdout.split()
assert not [pid for pid in left if int(pid) != os.getpid()], f"left behind: {left}"
