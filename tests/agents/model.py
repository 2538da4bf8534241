"""A model that is none, for tests with real agents: it asks for the tools that the prompt
names, one after the other, and then ends.

    model.py PORT-FILE LOG [PORT SEEN]

The prompt has a line "CALL TOOL {INPUT}" for each.  It speaks the three protocols, at a port of the loopback
interface that it writes into PORT-FILE.  LOG gets a line for each request: its path, the
names of the tools that were offered, how many were used, and what the last tool gave back.

With a line "AT ONCE" the calls come in one answer (in the first of the protocols).

A line "PARTS N" of the prompt makes the last answer a stream of N parts ("part-1 " and so on).  Where SEEN names a
folder, part n + 1 is sent when there is a file SEEN/n: when somebody has seen part n come out of the agent.  LOG says of
each part whether it was seen within ten seconds, so an answer that is held back on its way is told from a slow one.
"""
import json
import os
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LOG = open(sys.argv[2], "a", buffering=1)
PORT = int(sys.argv[3]) if len(sys.argv) > 3 else 0
SEEN = sys.argv[4] if len(sys.argv) > 4 else None
PATIENCE = 10


def wanted(text):
    """[("TOOL", {…})…] of a prompt."""
    found = []
    for line in text.splitlines() if isinstance(text, str) else []:
        if "CALL " in line:
            name, _, rest = line[line.index("CALL ") + 5:].strip().partition(" ")
            found.append((name, json.loads(rest)))
    return found


def parts_of(text):
    """How many parts the prompt wants."""
    found = re.search(r"\bPARTS (\d+)", text) if isinstance(text, str) else None
    return int(found.group(1)) if found else 0


def told(parts):
    """The texts of the last answer."""
    return [f"part-{i + 1} " for i in range(parts)] + ["the end"]


def event(kind, **fields):
    return f"event: {kind}\ndata: {json.dumps(dict(fields, type=kind))}\n\n"


class Prompt:
    """What the model is asked: what to call, what the tools said, which tools there are, how many parts."""

    def __init__(self):
        self.ask, self.results, self.tools, self.parts, self.at_once = [], [], [], 0, False

    def hear(self, text):
        self.ask = wanted(text) or self.ask
        self.at_once |= isinstance(text, str) and "AT ONCE" in text
        self.parts = parts_of(text) or self.parts


class Messages:
    """POST /v1/messages"""
    others = []  # further calls of the answer

    @staticmethod
    def use(call):
        return ({"type": "tool_use", "id": f"t{time.time_ns()}", "name": call[0], "input": {}},
                [{"type": "input_json_delta", "partial_json": json.dumps(call[1])}])

    def read(self, doc):
        p = Prompt()
        for message in doc.get("messages", []):
            content = message["content"]
            for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
                if part.get("type") == "text" and message["role"] == "user":
                    p.hear(part["text"])
                if part.get("type") == "tool_result":
                    p.results.append(json.dumps(part.get("content")))
        p.tools = [t.get("name") for t in doc.get("tools", [])]
        return p

    def answer(self, doc, call, texts, _path):
        message = {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": [],
                   "stop_reason": None, "stop_sequence": None,
                   "usage": {"input_tokens": 1, "output_tokens": 1}}
        if not doc.get("stream"):
            return [json.dumps(dict(message, stop_reason="end_turn",
                                    content=[{"type": "text", "text": "".join(texts)}]))]
        block, deltas = {"type": "text", "text": ""}, [{"type": "text_delta", "text": t} for t in texts]
        if call:
            block, deltas = self.use(call)
        pieces = [event("content_block_delta", index=0, delta=d) for d in deltas]
        pieces[0] = event("message_start", message=message) + event("content_block_start", index=0, content_block=block) + pieces[0]
        pieces[-1] += event("content_block_stop", index=0)
        for i, other in enumerate(self.others, 1):
            block, deltas = self.use(other)
            pieces[-1] += (event("content_block_start", index=i, content_block=block) +
                           event("content_block_delta", index=i, delta=deltas[0]) + event("content_block_stop", index=i))
        pieces[-1] += (event("message_delta", delta={"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None},
                             usage={"output_tokens": 1}) +
                       event("message_stop"))
        return pieces


class Contents:
    """POST …:generateContent and …:streamGenerateContent"""

    def read(self, doc):
        p = Prompt()
        for content in doc.get("contents", []):
            for part in content.get("parts", []):
                if content.get("role") == "user":
                    p.hear(part.get("text"))
                if "functionResponse" in part:
                    p.results.append(json.dumps(part["functionResponse"].get("response")))
        p.tools = [f.get("name") for t in doc.get("tools", []) for f in t.get("functionDeclarations", [])]
        return p

    @staticmethod
    def like(schema):
        """The emptiest value of a schema: Gemini CLI asks from time to time whether it goes in circles."""
        kind = str(schema.get("type", "")).lower()
        if kind == "object":
            return {name: Contents.like(s) for name, s in schema.get("properties", {}).items()}
        return {"array": [], "number": 0, "integer": 0, "boolean": False}.get(kind, schema.get("enum", [""])[0])

    def answer(self, doc, call, texts, path):
        wanted_json = doc.get("generationConfig", {})
        wanted_json = wanted_json.get("responseJsonSchema") or wanted_json.get("responseSchema")
        if wanted_json:
            texts = [json.dumps(self.like(wanted_json))]
        if "stream" not in path:
            texts = ["".join(texts)]
        parts = [{"functionCall": {"name": call[0], "args": call[1]}}] if call else [{"text": t} for t in texts]
        pieces = []
        for i, part in enumerate(parts):
            candidate = {"content": {"role": "model", "parts": [part]}, "index": 0}
            if i == len(parts) - 1:
                candidate["finishReason"] = "STOP"
            text = json.dumps({"candidates": [candidate], "usageMetadata": {"promptTokenCount": 1, "totalTokenCount": 2}})
            pieces.append(f"data: {text}\r\n\r\n" if "stream" in path else text)
        return pieces


def names_of(tools):
    """The names of tools, those of a namespace as NAMESPACE/TOOL."""
    for t in tools:
        if t.get("type") == "namespace":
            yield from (n if t["name"] == "functions" else f"{t['name']}/{n}" for n in names_of(t.get("tools", [])))
        else:
            yield t.get("name") or t.get("type")


class Responses:
    """POST /v1/responses.  Codex's current models are given their tools as an item of the input, and
    call most of them by code in the tool `exec`."""

    def read(self, doc):
        p = Prompt()
        more = []
        for item in doc.get("input", []):
            if item.get("type") == "additional_tools":
                more += names_of(item.get("tools", []))
            for part in item.get("content") or []:
                if item.get("role") == "user":
                    p.hear(part.get("text"))
            if str(item.get("type", "")).endswith("_output"):
                p.results.append(json.dumps(item.get("output")))
        p.tools = [t.get("name") or t.get("type") for t in doc.get("tools", [])] + more
        self.offered = more
        self.texts = [t.get("name") for t in doc.get("tools", []) if t.get("type") == "custom"]
        return p

    def by_code(self, call):
        """The call as an item: a function's, one of a tool that takes a text, or that of `exec` for what is not offered
        by itself."""
        name, arguments = call
        if name in self.texts:
            return {"type": "custom_tool_call", "id": "i", "call_id": f"t{time.time_ns()}", "name": name, "status": "completed",
                    "input": arguments["input"]}
        if "exec" not in self.offered or name in self.offered:
            return None
        given = arguments["input"] if name == "apply_patch" else arguments
        return {"type": "custom_tool_call", "id": "i", "call_id": f"t{time.time_ns()}", "name": "exec", "status": "completed",
                "input": f"text(await tools.{name.replace('/', '__')}({json.dumps(given)}))"}

    def answer(self, _doc, call, texts, _path):
        message = {"type": "message", "id": "i", "role": "assistant", "content": []}
        item = dict(message, content=[{"type": "output_text", "text": "".join(texts)}])
        pieces = [event("response.output_text.delta", item_id="i", output_index=0, content_index=0, delta=t) for t in texts]
        opened = event("response.created", response={"id": "r"})
        if call:
            item = {"type": "function_call", "id": "i", "call_id": f"t{time.time_ns()}", "name": call[0].split("/")[-1],
                    "arguments": json.dumps(call[1])}
            if "/" in call[0]:  # NAMESPACE/TOOL
                item["namespace"] = call[0].split("/")[0]
            item = self.by_code(call) or item
            # Codex shows no part of a text, but it begins with a call before the answer is over
            pieces = [event("response.output_item.done", output_index=0, item=item)] + [""] * (len(texts) > 1)
        else:
            opened += event("response.output_item.added", output_index=0, item=message)
            pieces[-1] += event("response.output_item.done", output_index=0, item=item)
        # Copilot CLI takes the items from here, Codex from the events
        response = {"id": "r", "status": "completed", "output": [item], "usage": {"input_tokens": 1, "input_tokens_details": None,
                                         "output_tokens": 1, "output_tokens_details": None,
                                         "total_tokens": 2}}
        pieces[0] = opened + pieces[0]
        pieces[-1] += event("response.completed", response=response)
        return pieces


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, pieces):
        self.send_response(200)
        kind = "application/json" if pieces[0].startswith("{") else "text/event-stream"
        self.send_header("content-type", kind)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        if self.command == "HEAD":
            return
        for i, piece in enumerate(pieces):
            if i > 0:
                LOG.write(f"part {i} {'seen' if self.is_seen(i) else 'late'}\n")
            body = piece.encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(body), body))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    @staticmethod
    def is_seen(part):
        """Waits until somebody says that the part has arrived."""
        until = time.monotonic() + PATIENCE
        while SEEN and time.monotonic() < until:
            if os.path.exists(os.path.join(SEEN, str(part))):
                return True
            time.sleep(0.01)
        return False

    def do_GET(self):
        self.send(["{}"])

    do_HEAD = do_GET

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.partition("?")[0]
        speaks = (Messages() if path.endswith("/messages") else
                  Contents() if path.endswith("enerateContent") else
                  Responses() if path.endswith("/responses") else None)
        if not speaks:
            self.send(["{}"])
            return
        doc = json.loads(body)
        asked = speaks.read(doc)
        done = len(asked.results)
        LOG.write(f"{path} tools={','.join(map(str, asked.tools))} done={done} result={asked.results[-1] if done else None}\n")
        call = asked.ask[done] if asked.tools and len(asked.ask) > done else None
        speaks.others = asked.ask[done + 1:] if asked.at_once and call else []
        self.send(speaks.answer(doc, call, told(asked.parts if asked.tools else 0), path))


server = ThreadingHTTPServer(("127.0.0.1", PORT), Handler)
with open(sys.argv[1], "w") as f:
    f.write(str(server.server_address[1]))
server.serve_forever()
