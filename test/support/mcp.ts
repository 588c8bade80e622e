import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { JsonSchemaType, JsonSchemaValidator, jsonSchemaValidator } from "@modelcontextprotocol/sdk/validation";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import type { Tenant } from "./server.ts";

/** Path of the MCP server's executable, as assistants start the server. */
export const MCP_BIN = fileURLToPath(new URL("../../mcp/bin.js", import.meta.url));

const open: { close(): Promise<void> }[] = [];
const children: ChildProcess[] = [];
let shared: Promise<string> | undefined;

/**
 * Closes every client and process that these helpers started, except the shared MCP server. Each file that uses a
 * helper calls the function in an `after` hook.
 */
export async function closeMcp(): Promise<void> {
  await Promise.all(open.splice(0).map((client) => client.close()));
  for (const child of children.splice(0)) child.kill("SIGKILL");
}

/** Result of a tool call in a comparable form. */
export interface ToolAnswer {
  /** Structured content; undefined for an error. */
  data?: any;
  text: string;
  isError: boolean;
}

/** Connected SDK client with a short way to call tools. */
export interface McpClient {
  client: Client;
  call(tool: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
}

/** Starts the MCP server over stdio in another working directory, and connects a client with the keys of `tenant`. */
export async function connectStdioClient(
  tenant: Pick<Tenant, "url" | "apiKey"> & { ingestKey?: string },
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<McpClient> {
  const keys = { TRACKER_API_KEY: tenant.apiKey, ...(tenant.ingestKey && { TRACKER_INGEST_KEY: tenant.ingestKey }) };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MCP_BIN, ...args],
    cwd: "/",
    env: { TRACKER_URL: tenant.url, ...keys, ...env },
    stderr: "inherit",
  });
  return connected(transport);
}

/** Connects a client to an MCP server over HTTP. */
export async function connectHttpClient(
  url: string,
  apiKey: string,
  headers: Record<string, string> = {},
): Promise<McpClient> {
  const requestInit = { headers: { authorization: `Bearer ${apiKey}`, ...headers } };
  return connected(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
}

/**
 * Creates a validator that compiles each schema once per process. Otherwise each client would compile the schemas of
 * all tools again.
 */
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
  // After listing the tools, the client checks every result against the output schema.
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

/** Starts an MCP server over HTTP for the API at `url`. Returns the URL of the endpoint. */
export function startMcpHttp(url: string, args: string[] = [], env: Record<string, string> = {}): Promise<string> {
  const child = spawnMcp(url, args, env);
  children.push(child);
  return addressOf(child);
}

/**
 * Returns the MCP server that most HTTP tests share. The server ends with the run and does not keep the process
 * alive.
 */
export function startSharedMcp(url: string): Promise<string> {
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
  const command = [MCP_BIN, "http", "--port", "0", "--url", url, ...args];
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

/** Connects a client with the keys of `tenant` to the shared MCP server over HTTP. */
export async function connectSharedClient(
  { url, apiKey }: Pick<Tenant, "url" | "apiKey">,
  headers: Record<string, string> = {},
): Promise<McpClient> {
  return connectHttpClient(await startSharedMcp(url), apiKey, headers);
}
