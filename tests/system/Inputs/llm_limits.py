"""Endpoints that answer nonsense, or not to the end: the rules' result, and what it cost.

llm_limits.py KTCC FOLDER PLAN…        each a plan of llm_mock.py; PLAN/S: the answers may take S seconds together
"""
import json
import os
import subprocess
import sys

from llm_mock import Mock

KTCC, FOLDER, *PLANS = sys.argv[1:]
KEY = "sk-secret-0123456789abcdef"

mock = Mock(KEY)
mock.start()
for plan in PLANS:
    plan, _, wait = plan.partition("/")
    env = dict(os.environ, THE_KEY=KEY, no_proxy="*", KTUNE_LLM_KEY_ENV="THE_KEY", KTUNE_LLM_MODEL=plan,
               KTUNE_LLM_URL=f"http://127.0.0.1:{mock.port}", KTUNE_LLM_RETRIES="0", KTUNE_LLM_IDLE="5",
               KTUNE_CACHE_DIR=f"{FOLDER}/mock", KTUNE_LLM_WAIT=wait or "10m")
    done = subprocess.run([KTCC, "tune", "--json", "--retune", "silu.cu", "--", "-arch=sm_90"], env=env, cwd=FOLDER,
                          capture_output=True, text=True)
    assert done.returncode == 0, done
    case, = json.loads(done.stdout)
    assert not wait or case["model"]["waited_s"] < float(wait) + 3, case
    told = subprocess.run([KTCC, "plan", "show", "silu"], env=env, capture_output=True, text=True).stdout
    ended = [line for line in told.splitlines() if line.startswith("  ended: ")]
    print(f"{plan}: {case['entry']['provenance']['generator']}, {case['model']['questions']} questions, "
          f"{case['model']['prompt_tokens']} + {case['model']['reply_tokens']} tokens,{ended[0][8:].split(';')[0]}, "
          f"{done.stderr.count('of no use')} warnings")
    assert KEY not in told + done.stdout + done.stderr
