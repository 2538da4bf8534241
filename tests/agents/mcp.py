"""A server of the Model Context Protocol with one tool, `mark`, which makes the file that
its argument names.      mcp.py, on stdin and stdout
"""
import json
import sys

TOOL = {"name": "mark", "description": "makes a file",
        "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}},
                        "required": ["name"]}}


def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": params.get("protocolVersion", "2024-11-05"),
                "capabilities": {"tools": {}}, "serverInfo": {"name": "pol", "version": "1"}}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        with open(params["arguments"]["name"], "w"):
            return {"content": [{"type": "text", "text": "marked"}]}
    return {}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"],
                          "result": answer(request["method"], request.get("params") or {})}), flush=True)
