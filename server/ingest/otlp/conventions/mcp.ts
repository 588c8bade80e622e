import { type Convention, from } from "../meaning/convention.ts";

/** The Model Context Protocol's calls of tools, seen from either end; its other methods link what is around them. */
export const mcp: Convention = {
  name: "MCP",
  sessionId: from("gen_ai.conversation.id", "session.id"),
  userId: from("user.id", "enduser.id"),
  spans: [
    {
      where: { "mcp.method.name": /^tools\/call$/ },
      kind: "tool",
      id: from("gen_ai.tool.call.id"),
      name: { at: ["gen_ai.tool.name", "mcp.tool.name"], or: { at: ["@name"], match: /^tools\/call (.+)/ } },
      args: from("gen_ai.tool.call.arguments", "mcp.request.argument"),
      result: from("gen_ai.tool.call.result", "mcp.response.value"),
      failedBy: [from("error.type"), from("rpc.jsonrpc.error_code"), from("jsonrpc.error.code")],
      error: from("@event/exception/exception.message", "@status", "rpc.jsonrpc.error_message", "error.type"),
      metadata: ["mcp.session.id", "mcp.protocol.version", "error.type"],
    },
    { where: { "mcp.method.name": true } },
  ],
};
