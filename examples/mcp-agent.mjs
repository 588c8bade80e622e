// An agent as MCP sees one: lists the tools, takes the best ready issue, works on it, and finishes it under its fence.
// An assistant makes the same calls by itself.
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const { TRACKER_URL = "http://127.0.0.1:4000", TRACKER_API_KEY = "", PATH = "" } = process.env;
const transport = new StdioClientTransport({
  command: process.execPath,
  args: [fileURLToPath(new URL("../mcp/bin.js", import.meta.url))],
  env: { PATH, TRACKER_URL, TRACKER_API_KEY },
});
const client = new Client({ name: "example-agent", version: "1.0.0" });
await client.connect(transport);

const { tools } = await client.listTools();
console.log(`${tools.length} tools`);
const { issue } = await call("next_issue", {});
console.log(`works on ${issue.id}: ${issue.title}`);
// Here an agent would change code, run tests, and read `issue.description` for the failure.
await call("finish_issue", {
  issue: issue.id,
  fence: issue.fence,
  summary: "Restored the missing import; the build passes.",
});
console.log(`finished ${issue.id}`);
await client.close();

/** Answers a tool's result. Throws its error, which says the next step. */
async function call(name, args) {
  const { structuredContent, content, isError } = await client.callTool({ name, arguments: args });
  if (isError) throw new Error(content[0].text);
  return structuredContent;
}
