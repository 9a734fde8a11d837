"""A ktcc-clang in front of the real one: it passes on what `serve` is asked and answered, and puts its own in between.

   import session; session.run(REAL, rewrite=lambda ask: {...})

rewrite(ask) makes the answer of a rewrite; ask() is the real one's. notice(verb) hears of each request first.
change={verb: function}: what becomes of the real one's answer to a verb."""
import json
import subprocess
import sys


def run(real, rewrite=None, notice=lambda verb: None, change={}):
    if sys.argv[1] != "serve":
        sys.exit(subprocess.run([real] + sys.argv[1:]).returncode)
    server = subprocess.Popen([real] + sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for line in sys.stdin.buffer:
        def ask():
            server.stdin.write(line)
            server.stdin.flush()
            return server.stdout.readline()

        verb = json.loads(line)["verb"]
        notice(verb)
        if verb == "rewrite" and rewrite is not None:
            answer = (json.dumps(rewrite(lambda: json.loads(ask()))) + "\n").encode()
        elif verb in change:
            answer = (json.dumps(change[verb](json.loads(ask()))) + "\n").encode()
        else:
            answer = ask()
        if not answer:
            break
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
    server.stdin.close()
    sys.exit(server.wait())
