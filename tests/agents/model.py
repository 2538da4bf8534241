"""A model that is none, for tests with real agents: it asks for the tools that the prompt
names, one after the other, and then ends.

    model.py PORT-FILE LOG

The prompt has a line "CALL TOOL {INPUT}" for each.  It speaks the three protocols, at a port of the loopback
interface that it writes into PORT-FILE.  LOG gets a line for each request: its path, the
names of the tools that were offered, and what the last tool gave back.
"""
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LOG = open(sys.argv[2], "a", buffering=1)


def wanted(text):
    """[("TOOL", {…})…] of a prompt."""
    found = []
    for line in text.splitlines() if isinstance(text, str) else []:
        if "CALL " in line:
            name, _, rest = line[line.index("CALL ") + 5:].strip().partition(" ")
            found.append((name, json.loads(rest)))
    return found


def events(pairs):
    return "".join(f"event: {k}\ndata: {json.dumps(dict(v, type=k))}\n\n" for k, v in pairs)


class Messages:
    """POST /v1/messages"""

    def read(self, doc):
        ask, results = [], []
        for message in doc.get("messages", []):
            parts = message["content"]
            for p in [{"type": "text", "text": parts}] if isinstance(parts, str) else parts:
                if p.get("type") == "text" and message["role"] == "user":
                    ask = wanted(p["text"]) or ask
                if p.get("type") == "tool_result":
                    results.append(json.dumps(p.get("content")))
        return ask, results, [t.get("name") for t in doc.get("tools", [])]

    def answer(self, doc, ask, _path):
        message = {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": [],
                   "stop_reason": None, "stop_sequence": None,
                   "usage": {"input_tokens": 1, "output_tokens": 1}}
        if not doc.get("stream"):
            return json.dumps(dict(message, stop_reason="end_turn",
                                   content=[{"type": "text", "text": "the end"}]))
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": "the end"}
        if ask:
            block = {"type": "tool_use", "id": f"t{time.time_ns()}", "name": ask[0], "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(ask[1])}
        return events([("message_start", {"message": message}),
                       ("content_block_start", {"index": 0, "content_block": block}),
                       ("content_block_delta", {"index": 0, "delta": delta}),
                       ("content_block_stop", {"index": 0}),
                       ("message_delta", {"delta": {"stop_reason": "tool_use" if ask else "end_turn",
                                                    "stop_sequence": None},
                                          "usage": {"output_tokens": 1}}),
                       ("message_stop", {})])


class Contents:
    """POST …:generateContent and …:streamGenerateContent"""

    def read(self, doc):
        ask, results = [], []
        for content in doc.get("contents", []):
            for p in content.get("parts", []):
                if content.get("role") == "user":
                    ask = wanted(p.get("text")) or ask
                if "functionResponse" in p:
                    results.append(json.dumps(p["functionResponse"].get("response")))
        tools = [f.get("name") for t in doc.get("tools", []) for f in t.get("functionDeclarations", [])]
        return ask, results, tools

    def answer(self, _doc, ask, path):
        part = {"functionCall": {"name": ask[0], "args": ask[1]}} if ask else {"text": "the end"}
        text = json.dumps({"candidates": [{"content": {"role": "model", "parts": [part]},
                                           "finishReason": "STOP", "index": 0}],
                           "usageMetadata": {"promptTokenCount": 1, "totalTokenCount": 2}})
        return f"data: {text}\r\n\r\n" if "stream" in path else text


class Responses:
    """POST /v1/responses"""

    def read(self, doc):
        ask, results = [], []
        for item in doc.get("input", []):
            for p in item.get("content") or []:
                if item.get("role") == "user":
                    ask = wanted(p.get("text")) or ask
            if str(item.get("type", "")).endswith("_output"):
                results.append(json.dumps(item.get("output")))
        return ask, results, [t.get("name") or t.get("type") for t in doc.get("tools", [])]

    def answer(self, _doc, ask, _path):
        item = {"type": "message", "id": "i", "role": "assistant",
                "content": [{"type": "output_text", "text": "the end"}]}
        if ask:
            item = {"type": "function_call", "id": "i", "call_id": f"t{time.time_ns()}", "name": ask[0].split("/")[-1],
                    "arguments": json.dumps(ask[1])}
            if "/" in ask[0]:  # NAMESPACE/TOOL
                item["namespace"] = ask[0].split("/")[0]
        response = {"id": "r", "usage": {"input_tokens": 1, "input_tokens_details": None,
                                         "output_tokens": 1, "output_tokens_details": None,
                                         "total_tokens": 2}}
        return events([("response.created", {"response": {"id": "r"}}),
                       ("response.output_item.done", {"output_index": 0, "item": item}),
                       ("response.completed", {"response": response})])


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, text):
        body = text.encode()
        self.send_response(200)
        kind = "application/json" if text.startswith("{") else "text/event-stream"
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.send("{}")

    do_HEAD = do_GET

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.partition("?")[0]
        speaks = (Messages() if path.endswith("/messages") else
                  Contents() if path.endswith("enerateContent") else
                  Responses() if path.endswith("/responses") else None)
        if not speaks:
            self.send("{}")
            return
        doc = json.loads(body)
        ask, results, tools = speaks.read(doc)
        LOG.write(f"{path} tools={','.join(map(str, tools))} result={results[-1] if results else None}\n")
        self.send(speaks.answer(doc, ask[len(results)] if tools and len(ask) > len(results) else None, path))


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(sys.argv[1], "w") as f:
    f.write(str(server.server_address[1]))
server.serve_forever()
