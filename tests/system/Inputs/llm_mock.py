"""A chat endpoint for tests, on loopback: what it answers is said by the name of the model that is asked for.

A model's name is a plan: words separated by "+", one an attempt, the last one for all that follow: "429:1+ok" refuses
once with Retry-After: 1 and answers then. See PLANS for the words.
"""
import asyncio
import json
import ssl
import threading
import time

from aiohttp import web

REPLY = {"decline": None, "rationale": "one thread a vector", "expected_effect": "fewer loads", "helpers": None,
         "kernel": "__global__ void k(float *x) { x[threadIdx.x] = 1; }",
         "parameters": [{"name": "BLOCK", "values": [128, 256], "reason": None}], "restrictions": [], "guards": [],
         "grid": None, "block": None, "shared_bytes": None, "temporaries": None, "launches": None}


class Mock:
    def __init__(self, key):
        self.key = key
        self.seen = []      # (method, path, headers, body) of every request
        self.attempts = {}
        self.running = self.most = 0
        self.ready = threading.Event()
        self.loop = None

    def start(self, tls=None):
        """tls: (certificate, key) of a second, encrypted listener."""
        threading.Thread(target=self._serve, args=(tls,), daemon=True).start()
        assert self.ready.wait(10)

    def _serve(self, tls):
        self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self._open(tls))
        self.ready.set()
        self.loop.run_forever()

    async def _open(self, tls):
        app = web.Application(client_max_size=64 << 20)
        app.router.add_route("*", "/{tail:.*}", self.handle)
        runner = web.AppRunner(app)
        await runner.setup()
        plain = web.TCPSite(runner, "127.0.0.1", 0)
        await plain.start()
        self.port = plain._server.sockets[0].getsockname()[1]
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*tls)
            site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
            await site.start()
            self.tls_port = site._server.sockets[0].getsockname()[1]

    async def handle(self, request):
        body = await request.text()
        self.seen.append((request.method, request.path, dict(request.headers), body))
        if request.headers.get("Authorization", "") != f"Bearer {self.key}":
            # Some endpoints show the key that they did not take.
            return web.json_response({"error": {"message": f"Incorrect API key: "
                                                           f"{request.headers.get('Authorization')}"}},
                                     status=401)
        if request.path.endswith("/models"):
            return web.json_response({"data": [{"id": "ok"}, {"id": "other"}]})
        asked = json.loads(body)
        plan = asked["model"].split("+")
        number = self.attempts.get(asked["model"], 0)
        self.attempts[asked["model"]] = number + 1
        word, _, value = plan[min(number, len(plan) - 1)].partition(":")
        return await getattr(self, f"do_{word}")(request, asked, value)

    def status(self, code, message, **headers):
        return web.json_response({"error": {"message": message}}, status=code, headers=headers)

    async def do_429(self, request, asked, value):
        return self.status(429, "slow down", **({"Retry-After": value} if value else {}))

    async def do_500(self, request, asked, value):
        return self.status(500, "out of order")

    async def do_401(self, request, asked, value):
        return self.status(401, f"who is {self.key}?")

    async def do_redirect(self, request, asked, value):
        return web.Response(status=307, headers={"Location": f"http://127.0.0.1:{self.port}/elsewhere"})

    async def do_malformed(self, request, asked, value):
        return web.Response(text="<html>it works</html>", content_type="text/html")

    async def do_empty(self, request, asked, value):
        return web.Response(status=200, text="")

    async def do_plain(self, request, asked, value):
        """Knows neither schemas nor their kin; value: how many of the optional members are refused."""
        optional = ["response_format", "stream_options", "seed"][: int(value or 2)]
        if any(name in asked for name in optional):
            return self.status(400, "unknown parameter")
        return await self.do_fenced(request, asked, "")

    async def do_picky(self, request, asked, value):
        """Takes what it does not know for a fault of its own."""
        if "response_format" in asked:
            return self.status(500, "1 validation error: ('body', 'response_format', 'type'): 'text' or 'json_object'")
        return await self.do_fenced(request, asked, "")

    async def do_silent(self, request, asked, value):
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await asyncio.sleep(float(value or 30))
        return response

    async def do_flood(self, request, asked, value):
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        piece = "data: " + json.dumps({"choices": [{"delta": {"content": "x" * 60000}}]}) + "\n\n"
        try:
            for _ in range(200):
                await response.write(piece.encode())
        except ConnectionResetError:
            pass
        return response

    async def do_error(self, request, asked, value):
        """An error in the middle of a stream."""
        return await self.stream(request, ["{", "..."], error={"message": "overloaded"})

    async def do_cut(self, request, asked, value):
        return await self.stream(request, ["{\"decline\"", ":"], cut=True)

    async def do_sleep(self, request, asked, value):
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(float(value))
        self.running -= 1
        return await self.do_ok(request, asked, "")

    async def do_fenced(self, request, asked, value):
        text = ("Here it is.\n\n```json\n" + json.dumps(dict(REPLY, kernel=None)) + "\n```\n\n```cuda\n" +
                REPLY["kernel"] +
                "\n```\n")
        return await self.answer(request, asked, text)

    async def do_schema(self, request, asked, value):
        """JSON that is not what was asked for."""
        return await self.answer(request, asked, json.dumps({"answer": 42}))

    async def do_length(self, request, asked, value):
        return await self.answer(request, asked, "{\"kernel\": \"", finish="length")

    async def do_ok(self, request, asked, value):
        return await self.answer(request, asked, json.dumps(REPLY))

    async def answer(self, request, asked, text, finish="stop"):
        if asked.get("stream"):
            return await self.stream(request, [text[i:i + 7] for i in range(0, len(text), 7)], finish)
        return web.json_response({"id": "1", "model": "mock-1",
                                  "usage": {"prompt_tokens": 100, "completion_tokens": 50},
                                  "choices": [{"message": {"role": "assistant", "content": text},
                                               "finish_reason": finish}]})

    async def stream(self, request, pieces, finish="stop", cut=False, error=None):
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
        await response.prepare(request)

        async def send(value):
            await response.write(f"data: {json.dumps(value)}\r\n\r\n".encode())

        await response.write(b": a comment\n\n")
        for piece in pieces:
            await send({"model": "mock-1", "choices": [{"delta": {"content": piece}, "finish_reason": None}]})
        if error:
            await send({"error": error})
            return response
        if cut:
            request.transport.abort()
            return response
        await send({"model": "mock-1", "choices": [{"delta": {}, "finish_reason": finish}]})
        await send({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 50}})
        await response.write(b"data: [DONE]\n\n")
        return response
