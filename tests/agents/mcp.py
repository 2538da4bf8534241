"""A server of the Model Context Protocol, on stdin and stdout.  Its tool `mark` makes the
file that its argument names; `agree` is a person who says yes to what Claude Code asks
(--permission-prompt-tool), but no where POL_NO stands in it, and writes down what was asked.
"""
import json
import os
import sys

TOOL = {"name": "mark", "description": "makes a file",
        "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}},
                        "required": ["name"]}}
AGREE = {"name": "agree", "description": "says yes",
         "inputSchema": {"type": "object", "properties": {"tool_name": {"type": "string"},
                                                          "input": {"type": "object"}}}}


def call(name, arguments):
    if name == "agree":
        if "POL_ASKED" in os.environ:
            with open(os.environ["POL_ASKED"], "a") as f:
                f.write(json.dumps(arguments) + "\n")
        if os.environ.get("POL_NO") and os.environ["POL_NO"] in json.dumps(arguments):
            return json.dumps({"behavior": "deny", "message": "the person says no"})
        return json.dumps({"behavior": "allow", "updatedInput": arguments["input"]})
    with open(arguments["name"], "w"):
        return "marked"


def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": params.get("protocolVersion", "2024-11-05"),
                "capabilities": {"tools": {}}, "serverInfo": {"name": "pol", "version": "1"}}
    if method == "tools/list":
        return {"tools": [TOOL, AGREE] if "POL_ASKED" in os.environ else [TOOL]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": call(params["name"], params["arguments"])}]}
    return {}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"],
                          "result": answer(request["method"], request.get("params") or {})}), flush=True)
