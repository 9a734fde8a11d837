"""ktcc-llm against a chat endpoint on loopback: every way in which it can go wrong, and what never leaves it.

llm_protocol.py KTCC-LLM FOLDER KTCC
"""
import concurrent.futures
import glob
import json
import os
import subprocess
import sys
import threading
import time

from llm_mock import Mock, REPLY

LLM, FOLDER, KTCC = sys.argv[1:]
KEY = "sk-secret-0123456789abcdef"
MESSAGES = [{"role": "system", "content": "You write kernels."}, {"role": "user", "content": "Make this faster: …"}]
outputs = []


def certificates(folder):
    """A private authority and a certificate for 127.0.0.1."""
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)
    new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    openssl("req", "-x509", *new, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=a private authority")
    openssl("req", *new[:-2], "-keyout", "host.key", "-out", "host.csr", "-subj", "/CN=127.0.0.1")
    with open(os.path.join(folder, "ext"), "w") as file:
        file.write("subjectAltName=IP:127.0.0.1\n")
    openssl("x509", "-req", "-in", "host.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-extfile", "ext", "-out", "host.pem")


def ask(model="ok", request="complete", env=None, **more):
    values = {"request": request, "url": url, "model": model, "key_file": key_file, "timeout_s": 20, "idle_s": 5,
              "retries": 1, "temperature": 0.5, "seed": 7, "reply_tokens": 1000, "messages": MESSAGES,
              "schema": {"type": "object"}, **more}
    line = json.dumps({name: value for name, value in values.items() if value is not None}) + "\n"
    done = subprocess.run([LLM], input=line, capture_output=True, text=True, timeout=60,
                          env={**os.environ, "no_proxy": "*", **(env or {})})
    assert done.returncode == 0, done
    outputs.append(done.stdout + done.stderr)
    events = [json.loads(text) for text in done.stdout.splitlines()]
    return events[-1], events[:-1]


def fails(code, model="ok", **more):
    last, before = ask(model, **more)
    assert last["event"] == "failed" and last["code"] == code, (code, last)
    return last, before


def answers(model="ok", **more):
    last, before = ask(model, **more)
    assert last["event"] == "done", last
    return last, before


def body(number=-1):
    return json.loads(mock.seen[number][3])


def test_answer():
    last, _ = answers()
    assert json.loads(last["text"]) == REPLY and last["model"] == "mock-1" and last["finish"] == "stop"
    assert (last["prompt_tokens"], last["reply_tokens"], last["schema"], last["attempts"]) == (100, 50, True, 1)
    method, path, headers, _ = mock.seen[-1]
    assert (method, path) == ("POST", "/v1/chat/completions"), path
    sent = body()
    assert sent["seed"] == 7 and sent["temperature"] == 0.5 and sent["max_tokens"] == 1000 and sent["stream"] is True
    assert sent["response_format"]["json_schema"]["strict"] is True and sent["messages"] == MESSAGES
    # The three ways to name an endpoint.
    for ending in ("/v1", "/v1/chat/completions", "/v1/"):
        answers(url=url + ending)
        assert mock.seen[-1][1] == "/v1/chat/completions"
    last, _ = answers(stream=False)
    assert json.loads(last["text"]) == REPLY and "stream" not in body()


def test_schema():
    last, _ = answers("plain:2")
    assert "```cuda" in last["text"] and last["schema"] is False and "response_format" not in body() and \
        body()["seed"] == 7
    answers("plain:3")
    assert "seed" not in body() and "temperature" not in body() and body()["max_completion_tokens"] == 1000
    answers("fenced", schema_mode="off")
    assert "response_format" not in body()
    fails("refused", "plain:2", schema_mode="on")
    last, _ = answers("picky")
    assert not last["schema"] and last["attempts"] == 2, last
    fails("server", "picky", schema_mode="on", retries=0)
    # Another object than the one that was asked for is an answer: the reader of replies refuses it.
    assert json.loads(answers("schema")[0]["text"]) == {"answer": 42}
    assert answers("length")[0]["finish"] == "length"


def test_again():
    start = time.time()
    last, before = answers("429:1+ok")
    assert last["attempts"] == 2 and time.time() - start >= 1
    assert [(e["code"], e["wait_s"]) for e in before if e["event"] == "retry"] == [("rate-limited", 1)], before
    assert answers("500+ok")[0]["attempts"] == 2
    assert answers("cut+ok")[0]["attempts"] == 2
    assert answers("error+ok")[0]["attempts"] == 2
    assert fails("server", "500", retries=0)[0]["attempts"] == 1
    # Longer than there is time: no use in waiting.
    start = time.time()
    assert "slow down" in fails("rate-limited", "429:600")[0]["message"] and time.time() - start < 5


def test_broken():
    last, _ = fails("cut", "cut", retries=0)
    assert last["prompt_tokens"] > 0 and last["reply_tokens"] > 0, "an endpoint counts what it began to answer"
    fails("server", "error", retries=0)
    fails("malformed", "malformed", retries=0)
    fails("malformed", "malformed", retries=0, stream=False)
    fails("malformed", "empty", retries=0)
    fails("timeout", "silent", retries=0, idle_s=1)
    last, _ = fails("timeout", "silent", retries=0, timeout_s=1)
    assert last["prompt_tokens"] == last["reply_tokens"] == 0, last
    fails("too-long", "flood", retries=0)
    fails("unreachable", url="http://127.0.0.1:1", retries=0)
    count = len(mock.seen)
    fails("redirect", "redirect")
    assert len(mock.seen) == count + 1, "the redirection was followed"
    fails("request", url="ftp://127.0.0.1/")
    fails("request", url="file:///etc/passwd")
    with subprocess.Popen([LLM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        out, _ = child.communicate("this is no request\n{\"request\":\"complete\"}\n")
        assert [json.loads(line)["code"] for line in out.splitlines()] == ["request", "request"]


def test_key():
    assert "*" * len(KEY) in fails("unauthorized", "401")[0]["message"]
    for mistake, message in (("", "holds no key"), ("two words", "is no key"), ("k" * 5000, "limit")):
        path = os.path.join(FOLDER, "wrong")
        with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as file:
            file.write(mistake)
        fails("key", key_file=path)
    os.chmod(path, 0o644)
    assert "chmod 600" in fails("key", key_file=path)[0]["message"]
    fails("key", key_file="/nonexistent/key")
    answers(key_file=None, key_command=f"cat {key_file}")
    fails("key", key_file=None, key_command="false")
    answers(key_file=None, key_env="MY_KEY", env={"MY_KEY": KEY})
    fails("key", key_file=None, key_env="MY_KEY")
    fails("unauthorized", key_file=None)
    count = len(mock.seen)
    fails("insecure", url="http://192.0.2.1:80")
    fails("insecure", url="https://me:password@127.0.0.1")
    assert len(mock.seen) == count


def test_tls():
    tls = f"https://127.0.0.1:{mock.tls_port}"
    answers(url=tls, ca_file=os.path.join(FOLDER, "ca.pem"))
    count = len(mock.seen)
    fails("tls", url=tls, retries=0)
    fails("tls", url=tls, retries=0, ca_file=os.path.join(FOLDER, "host.key"))
    # The certificate is not one for this name.
    fails("tls", url=tls.replace("127.0.0.1", "localhost"), retries=0, ca_file=os.path.join(FOLDER, "ca.pem"))
    assert len(mock.seen) == count


def test_budget():
    count = len(mock.seen)
    assert "tokens are left" in fails("budget", token_limit=200)[0]["message"]
    answers(token_limit=700)
    assert 256 <= body()["max_tokens"] < 700
    state = os.path.join(FOLDER, "state")
    prices = dict(state=state, price_prompt=1000.0, price_reply=2000.0)
    # 100 and 50 tokens: 0.2; reserved are 1000 of reply, so 2 and a little.
    assert abs(answers(cost_limit=3.0, **prices)[0]["cost"] - 0.2) < 1e-9
    for _ in range(4):
        answers(cost_limit=3.0, **prices)
    assert "were spent in 24 hours" in fails("budget", cost_limit=3.0, **prices)[0]["message"]
    # Yesterday's does not count.
    with open(os.path.join(state, "llm-spent")) as file:
        lines = [line.split() for line in file]
    with open(os.path.join(state, "llm-spent"), "w") as file:
        file.writelines(f"{int(when) - 90000} {amount}\n" for when, amount in lines)
    answers(cost_limit=3.0, **prices)
    fails("budget", cost_limit=3.0, state="/proc/nowhere")
    assert len(mock.seen) == count + 7
    mock.most = 0
    with concurrent.futures.ThreadPoolExecutor(5) as pool:
        list(pool.map(lambda _: answers("sleep:0.3", state=state, jobs=2), range(5)))
    assert mock.most == 2, mock.most


def test_probe():
    assert "answers and has ok" in answers(request="probe")[0]["text"]
    fails("model", "none", request="probe")
    fails("unreachable", request="probe", url="http://127.0.0.1:1", retries=0)
    assert "by hand" in answers(request="probe", url=f"dir:{FOLDER}/hand")[0]["text"]
    fails("unreachable", request="probe", url="transcript:/nonexistent")


def test_files():
    hand = os.path.join(FOLDER, "hand")
    more = dict(url=f"dir:{hand}", label="saxpy.r1 a/b")
    count = len(mock.seen)
    last, _ = fails("pending", **more)
    question, = glob.glob(f"{hand}/*.md")
    assert os.path.basename(question) == f"saxpy_r1_a_b.{last['hash'][:16]}.md"
    with open(question) as file:
        text = file.read()
    assert all(part["content"] in text for part in MESSAGES) and KEY not in text
    fails("pending", **more)
    reply = question.replace(".md", ".reply.md")
    assert os.path.basename(reply) in text
    with open(reply, "w") as file:
        file.write("model: somebody-7b\n\n" + json.dumps(REPLY))
    last, _ = answers(**more)
    assert json.loads(last["text"]) == REPLY and last["model"] == "somebody-7b" and last["match"] == "exact"
    assert abs(last["when"] - time.time()) < 60
    # Measurements in a question differ from run to run: its label is enough, another label is not.
    other = [MESSAGES[0], {"role": "user", "content": "Make this faster: it took 3 us"}]
    assert answers(messages=other, **more)[0]["match"] == "label"
    fails("pending", messages=other, url=more["url"], label="saxpy.r1 a/c")
    # What an endpoint says is kept as it came, and comes again without one.
    kept = os.path.join(FOLDER, "kept")
    first, _ = answers(record=kept, label="round 1")
    name, = os.listdir(kept)
    with open(os.path.join(kept, name)) as file:
        transcript = json.load(file)
    assert transcript["text"] == first["text"] and transcript["model"] == "mock-1" and transcript["seed"] == 7
    assert transcript["when"].endswith("Z") and transcript["messages"] == MESSAGES and transcript["temperature"] == 0.5
    again, _ = answers(url=f"transcript:{kept}", label="round 1")
    assert again["text"] == first["text"] and again["model"] == "mock-1" and again["when"] == first["when"]
    fails("missing", url=f"transcript:{kept}", label="round 2", seed=8)
    assert len(mock.seen) == count + 1


def doctor(**settings):
    """What `ktcc doctor` says about the model."""
    env = {**os.environ, "no_proxy": "*", "KTUNE_CACHE_DIR": os.path.join(FOLDER, "cache"),
           "KTUNE_LOG": os.path.join(FOLDER, "log"), **{f"KTUNE_LLM_{name}": value for name, value in settings.items()}}
    done = subprocess.run([KTCC, "doctor", "--json"], capture_output=True, text=True, timeout=60, env=env)
    outputs.append(done.stdout + done.stderr)
    return json.loads(done.stdout)["model"]


def test_doctor():
    assert doctor()["detail"] == "off"
    found = doctor(URL=url, MODEL="ok", KEY_FILE=key_file)
    assert found == {"found": True, "detail": f"127.0.0.1:{mock.port} answers and has ok"}, found
    lost = doctor(URL=url, MODEL="ok")
    assert not lost["found"] and lost["detail"].startswith("unauthorized: ") and "docs/" in lost["hint"], lost
    assert doctor(URL="dir:" + os.path.join(FOLDER, "asked"))["found"]


def watch(stop, found):
    """Every command line of the machine, again and again."""
    while not stop.is_set():
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            try:
                with open(path, "rb") as file:
                    found.extend([path] if KEY.encode() in file.read() else [])
            except OSError:
                pass
        time.sleep(0.02)


def test_no_leak(found):
    assert not found, found
    assert not [text for text in outputs if KEY in text]
    for folder, _, files in os.walk(FOLDER):
        for name in files:
            path = os.path.join(folder, name)
            if path != key_file:
                with open(path, "rb") as file:
                    assert KEY.encode() not in file.read(), path
    assert all(KEY not in seen[3] for seen in mock.seen), "the key stood in a body"


os.makedirs(FOLDER, exist_ok=True)
certificates(FOLDER)
key_file = os.path.join(FOLDER, "key")
with open(os.open(key_file, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
    file.write(KEY + "\n")
mock = Mock(KEY)
mock.start((os.path.join(FOLDER, "host.pem"), os.path.join(FOLDER, "host.key")))
url = f"http://127.0.0.1:{mock.port}"
stop, found = threading.Event(), []
watcher = threading.Thread(target=watch, args=(stop, found))
watcher.start()
try:
    for test in (test_answer, test_schema, test_again, test_broken, test_key, test_tls, test_budget, test_probe,
                 test_files,
                 test_doctor):
        start = time.time()
        mock.attempts.clear()
        test()
        print(f"{test.__name__} {time.time() - start:.1f} s", flush=True)
finally:
    stop.set()
    watcher.join()
test_no_leak(found)
print("done")
