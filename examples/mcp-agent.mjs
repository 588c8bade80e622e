// Shows the work of an agent over MCP: lists the tools, claims the best ready issue, and finishes the issue with the
// fence. An assistant makes the same calls automatically.
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const { TRACKER_API_KEY = "", PATH = "" } = process.env;
const TRACKER_URL = process.env.TRACKER_URL || "http://127.0.0.1:4000";
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
// At this point, an agent would read `issue.description`, change code and run tests.
await call("finish_issue", {
  issue: issue.id,
  fence: issue.fence,
  summary: "Restored the missing import; the build passes.",
});
console.log(`finished ${issue.id}`);
await client.close();

/** Returns the result of a tool. Throws the tool's error, which contains the next step. */
async function call(name, args) {
  const { structuredContent, content, isError } = await client.callTool({ name, arguments: args });
  if (isError) throw new Error(content[0].text);
  return structuredContent;
}
