import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { JsonSchemaType, JsonSchemaValidator, jsonSchemaValidator } from "@modelcontextprotocol/sdk/validation";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import type { Tenant } from "./server.ts";

/** The program as assistants start it. */
export const BIN = fileURLToPath(new URL("../../mcp/bin.js", import.meta.url));

const open: { close(): Promise<void> }[] = [];
const children: ChildProcess[] = [];
let shared: Promise<string> | undefined;

/** Ends every client and process these helpers started but the shared one; an `after` hook of each file. */
export async function closeMcp(): Promise<void> {
  await Promise.all(open.splice(0).map((client) => client.close()));
  for (const child of children.splice(0)) child.kill("SIGKILL");
}

/** The answer of a call, in a form that tests can compare. */
export interface Answer {
  /** The structured content, or undefined for an error. */
  data?: any;
  text: string;
  isError: boolean;
}

/** A connected SDK client, with a short way to call tools. */
export interface McpClient {
  client: Client;
  call(tool: string, args?: Record<string, unknown>): Promise<Answer>;
}

/** A client of a stdio process of its own, in another working directory, with the keys of `tenant`. */
export async function stdioClient(
  tenant: Pick<Tenant, "url" | "apiKey"> & { ingestKey?: string },
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<McpClient> {
  const keys = { TRACKER_API_KEY: tenant.apiKey, ...(tenant.ingestKey && { TRACKER_INGEST_KEY: tenant.ingestKey }) };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, ...args],
    cwd: "/",
    env: { TRACKER_URL: tenant.url, ...keys, ...env },
    stderr: "inherit",
  });
  return connected(transport);
}

/** A client of the MCP server over HTTP. */
export async function httpClient(
  url: string,
  apiKey: string,
  headers: Record<string, string> = {},
): Promise<McpClient> {
  const requestInit = { headers: { authorization: `Bearer ${apiKey}`, ...headers } };
  return connected(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
}

/** Compiles each schema once a process: every client would compile those of all tools anew. */
function compilingOnce(): jsonSchemaValidator {
  const ajv = new AjvJsonSchemaValidator();
  const compiled = new Map<string, JsonSchemaValidator<unknown>>();
  return {
    getValidator<T>(schema: JsonSchemaType) {
      const key = JSON.stringify(schema);
      const validate = compiled.get(key) ?? ajv.getValidator(schema);
      compiled.set(key, validate);
      return validate as JsonSchemaValidator<T>;
    },
  };
}
const validator = compilingOnce();

async function connected(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<McpClient> {
  const client = new Client({ name: "tests", version: "1.0.0" }, { jsonSchemaValidator: validator });
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  // With the list known, the client checks every result against its output schema.
  await client.listTools();
  open.push(client);
  return {
    client,
    async call(name, args = {}) {
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
      const text = (content as { text: string }[])[0]?.text ?? "";
      return { data: structuredContent, text, isError: isError === true };
    },
  };
}

/** Starts an MCP server over HTTP for the API at `url`; answers the address of its endpoint. */
export function startMcpHttp(url: string, args: string[] = [], env: Record<string, string> = {}): Promise<string> {
  const child = spawnMcp(url, args, env);
  children.push(child);
  return addressOf(child);
}

/** The MCP server the HTTP tests without special wishes share. It ends with the whole run, which it does not hold up. */
export function sharedMcp(url: string): Promise<string> {
  shared ??= (async () => {
    const child = spawnMcp(url, []);
    process.once("exit", () => child.kill("SIGKILL"));
    const address = await addressOf(child);
    child.unref();
    (child.stderr as Socket).unref();
    return address;
  })();
  return shared;
}

function spawnMcp(url: string, args: string[], env: Record<string, string> = {}) {
  const command = [BIN, "http", "--port", "0", "--url", url, ...args];
  return spawn(process.execPath, command, { env: { ...process.env, ...env }, stdio: ["ignore", "inherit", "pipe"] });
}

function addressOf(child: ReturnType<typeof spawnMcp>): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stderr.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
      const address = /http:\/\/\S+\/mcp/.exec(text)?.[0];
      if (address) resolve(address);
    });
    child.once("exit", () => reject(new Error(`the MCP server did not start: ${text}`)));
  });
}

/** A client with the keys of `tenant`, of the shared MCP server over HTTP. */
export async function mcpFor(
  { url, apiKey }: Pick<Tenant, "url" | "apiKey">,
  headers: Record<string, string> = {},
): Promise<McpClient> {
  return httpClient(await sharedMcp(url), apiKey, headers);
}
