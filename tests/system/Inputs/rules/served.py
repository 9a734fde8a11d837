#!/usr/bin/env python3
"""served.py LOCK COMMAND...: runs the command with KTUNE_REMOTE naming a server on the loopback that has LOCK's one
entry."""
import glob
import http.server
import json
import os
import subprocess
import sys
import threading

(PATH,) = glob.glob(os.path.join(sys.argv[1], "*", "*.json"))
with open(PATH, "rb") as file:
    TEXT = file.read()
NAMES = {f"/{key}-sm_90.json" for name, key in json.loads(TEXT)["keys"].items() if name != "device"}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        found = self.path in NAMES
        self.send_response(200 if found else 404)
        self.send_header("Content-Length", str(len(TEXT) if found else 0))
        self.end_headers()
        self.wfile.write(TEXT if found else b"")

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
environment = dict(os.environ, KTUNE_REMOTE=f"http://127.0.0.1:{server.server_address[1]}", KTUNE_REMOTE_MS="20000")
sys.exit(subprocess.run(sys.argv[2:], env=environment).returncode)
