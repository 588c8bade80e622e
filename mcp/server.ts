import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv-provider.js";
import manifest from "../package.json" with { type: "json" };
import type { ClientContext } from "./client-context.ts";
import { HANDLERS } from "./handlers/index.ts";

/** Name and version that the server sends to clients. */
export const SERVER_INFO = { name: "trackway", title: "Trackway", version: manifest.version };

/** Instructions for clients about all tools. */
export const INSTRUCTIONS = `Trackway tracks issues and records agent sessions. Issues are named by identifier (ENG-12); teams, states, users, projects and labels by name or key. Lists answer next_cursor when there is more: pass it as cursor. Errors say what to do next.`;

/**
 * Capabilities of this server in every protocol version. The server sends no notifications of changes. `logging` is
 * added only for versions before 2026-07-28, because that version has no logging.
 */
export const CAPABILITIES = { tools: {}, resources: {}, prompts: {}, completions: {} };

/**
 * All servers share this validator, because creating a validator costs more CPU than a call. Sharing is possible
 * because this server never requests input from the client that a validator must check.
 */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** Creates the SDK's server for one client: a stdio process, or a single HTTP request. */
export function createMcpProtocolServer(client: ClientContext): Server {
  const server = new Server(SERVER_INFO, {
    capabilities: { ...CAPABILITIES, logging: {} },
    instructions: INSTRUCTIONS,
    jsonSchemaValidator,
  });
  for (const { requestSchema, handle } of HANDLERS) {
    server.setRequestHandler(requestSchema, async ({ params }, { signal }) => handle(params, client, signal));
  }
  return server;
}
