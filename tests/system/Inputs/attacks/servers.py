"""Servers and what lies on the way to them: proxies that the environment names, redirections, addresses that look like this machine's."""
import contextlib
import json
import os
import re
import socket
import subprocess
import threading

from harness import attack

TOKEN, KEY = "t0ken-of-the-team", "sk-secret-of-the-user"
VARIABLES = ("http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")


class Listener:
    """Takes connections on the loopback, keeps what it is sent, and answers all that name `only` in the same way."""

    def __init__(self, status="404 Not Found", headers=(), body="", only=""):
        self.answer = "\r\n".join([f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers,
                                   "", body]).encode()
        self.only = only.encode()
        self.seen = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection = self.listener.accept()[0]
                threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        self.seen.append(b"")
        place = len(self.seen) - 1
        with contextlib.suppress(OSError), connection:
            connection.settimeout(10)
            while b"\r\n\r\n" not in self.seen[place]:
                some = connection.recv(65536)
                if not some:
                    break
                self.seen[place] += some
            connection.sendall(self.answer if self.only in self.seen[place] else
                               b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass

    def text(self):
        return b"".join(self.seen).decode(errors="replace")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()


def hostile_environment(p, proxy):
    """Every name by which a proxy is given; an account for this machine in .netrc."""
    for name in VARIABLES:
        p.environment[name] = proxy.address
    for name in ("no_proxy", "NO_PROXY"):
        p.environment[name] = ""
    with open(os.open(f"{p.home}/.netrc", os.O_CREAT | os.O_WRONLY, 0o600), "w") as out:
        out.write("default login somebody password netrc-secret\n")


def program(p, name, request):
    """What ktcc-remote or ktcc-llm says to requests, one a line."""
    path = os.path.join(os.path.dirname(os.path.dirname(p.suite.ktcc)), "libexec/ktcc", name)
    environment = {**os.environ, "HOME": p.home, "CURL_HOME": p.home, **p.environment}
    environment.pop("KTUNE_REMOTE_TOKEN", None)
    lines = "".join(json.dumps(one) + "\n" for one in request)
    return subprocess.run([path], input=lines, env=environment, capture_output=True, text=True, timeout=60).stdout


def token_file(p, text=TOKEN):
    with open(os.open(f"{p.home}/token", os.O_CREAT | os.O_WRONLY, 0o600), "w") as out:
        out.write(text + "\n")
    return f"{p.home}/token"


def remote(p, base):
    return program(p, "ktcc-remote", [
        {"request": "open", "base": base, "token_file": token_file(p)},
        {"request": "get", "limit_ms": 2000, "items": [{"name": "one.json"}]},
        {"request": "put", "limit_ms": 2000, "items": [{"name": "one.json", "body": "an entry"}]}])


def model(p, url, **more):
    return program(p, "ktcc-llm", [{"request": "complete", "url": url, "model": "m", "key_file": token_file(p, KEY),
                                    "timeout_s": 10, "idle_s": 5, "retries": 0, "reply_tokens": 1000,
                                    "messages": [{"role": "user", "content": "the source of a kernel"}], **more}])


def no_entry(p):
    os.rename(p.lock, f"{p.home}/aside")


# ---- proxies on the way to this machine

@attack("original", "HTTP 403")
def proxies_on_the_way_to_a_server_of_this_machine(p):
    no_entry(p)
    with Listener() as proxy, Listener("403 Forbidden") as server:
        hostile_environment(p, proxy)
        p.settings.update(REMOTE=server.address, REMOTE_TOKEN_FILE=token_file(p), REMOTE_MS="5000")
        done = p.build()
        p.check(proxy.seen == [], f"the proxy got {proxy.seen}")
        p.check(f"Bearer {TOKEN}" in server.text(), server.text())
        return done


def spelling(name, host):
    @attack("variant", None)
    def act(p):
        with Listener() as proxy, Listener() as server:
            hostile_environment(p, proxy)
            said = remote(p, f"http://{host}:{server.port}/team")
            p.check('"status":404' in said and f"Bearer {TOKEN}" in server.text(), said + server.text())
            said = model(p, f"http://{host}:{server.port}/v1")
            p.check(f"Bearer {KEY}" in server.text(), said)
            p.check(proxy.seen == [], f"the proxy got {proxy.seen}")
    act.__name__ = f"proxies_on_the_way_to_{name}"


spelling("localhost", "localhost")
spelling("LOCALHOST", "LOCALHOST")
spelling("127_0_0_1", "127.0.0.1")


@attack("variant", None)
def proxy_of_the_settings_on_the_way_to_a_model_of_this_machine(p):
    with Listener() as proxy, Listener() as server:
        said = model(p, server.address, proxy=proxy.address)
        p.check(proxy.seen == [] and f"Bearer {KEY}" in server.text(), said + proxy.text())


@attack("variant", None)
def proxy_on_the_way_to_another_host_sees_no_secret(p):
    with Listener("200 OK") as proxy:
        hostile_environment(p, proxy)
        said = remote(p, "https://team.invalid/") + model(p, "https://model.invalid/")
        said += model(p, "https://model.invalid/", proxy=proxy.address)
        asked = re.findall(r"^(\S+ \S+)", "\n".join(one.decode() for one in proxy.seen), re.M)
        p.check("CONNECT team.invalid:443" in asked and "CONNECT model.invalid:443" in asked, f"{asked} {said}")
        for secret in (TOKEN, KEY, "netrc-secret", "the source of a kernel", "one.json"):
            p.check(secret not in proxy.text(), f"the proxy got {secret}")


@attack("variant", None)
def account_of_netrc_is_not_sent(p):
    with Listener() as proxy, Listener() as server:
        hostile_environment(p, proxy)
        said = program(p, "ktcc-remote", [{"request": "open", "base": server.address},
                                          {"request": "get", "limit_ms": 2000, "items": [{"name": "one.json"}]}])
        said += model(p, server.address, key_file=None)
        p.check(len(server.seen) == 2 and "uthorization" not in server.text(), said + server.text())


# ---- addresses

def elsewhere(name, host, message="http address of this machine"):
    """Plain http to another machine, however it is spelled: nothing is sent, not even where there is no secret."""
    @attack("original", message)
    def act(p):
        no_entry(p)
        with Listener() as proxy:
            hostile_environment(p, proxy)
            said = remote(p, f"http://{host}/team")
            p.check('"error":"no https address' in said and '"status"' not in said, said)
            said = model(p, f"http://{host}/v1", key_file=None)
            p.check('"code":"insecure"' in said, said)
            p.settings["REMOTE"] = f"http://{host}/team"
            done = p.build()
            p.check(proxy.seen == [], f"the proxy got {proxy.seen}")
            return done
    act.__name__ = f"plain_http_to_{name}"


for _name, _host in (("another_host", "team.invalid"), ("an_address", "192.0.2.1:80"),
                     ("a_name_that_begins_with_127", "127.0.0.1.team.invalid"),
                     ("a_name_that_begins_as_a_number", "127.team.invalid"),
                     ("a_name_that_begins_with_localhost", "localhost.team.invalid"),
                     ("a_host_behind_a_user", "127.0.0.1@team.invalid"),
                     ("a_host_behind_a_password", "127.0.0.1:80@team.invalid"),
                     ("a_host_behind_a_backslash", "127.0.0.1\\@team.invalid"),
                     ("all_of_this_machine's_addresses", "0.0.0.0"), ("a_short_number", "127.1"),
                     ("one_number", "2130706433"), ("an_octal_number", "0177.0.0.1"), ("no_host", ""),
                     ("another_address_in_brackets", "[::ffff:192.0.2.1]"), ("a_zone", "[::1%25eth0]")):
    elsewhere(_name, _host)


# ---- redirections

def redirected(status):
    @attack("original", f"HTTP {status}: redirects are not followed")
    def act(p):
        no_entry(p)
        with Listener("200 OK") as other:
            with Listener(f"{status} Moved", [f"Location: {other.address}/team/"]) as server:
                said = model(p, server.address)
                p.check('"code":"redirect"' in said, said)
                remote(p, server.address)
                p.settings.update(REMOTE=server.address, REMOTE_TOKEN_FILE=token_file(p), REMOTE_MS="5000")
                done = p.build()
            p.check(other.seen == [], f"the other host got {other.seen}")
            return done
    act.__name__ = f"redirection_{status}"


for _status in (301, 302, 307, 308):
    redirected(_status)
