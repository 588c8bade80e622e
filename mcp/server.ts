import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv-provider.js";
import manifest from "../package.json" with { type: "json" };
import type { ClientContext } from "./client-context.ts";
import { HANDLERS } from "./handlers/index.ts";

/** The name and version this server introduces itself with. */
export const SERVER_INFO = { name: "trackway", title: "Trackway", version: manifest.version };

/** The instructions a client gets once about all tools. */
export const INSTRUCTIONS = `Trackway tracks issues and records agent sessions. Issues are named by identifier (ENG-12); teams, states, users, projects and labels by name or key. Lists answer next_cursor when there is more: pass it as cursor. Errors say what to do next.`;

/**
 * The capabilities of this server; nothing in it changes by itself, so nothing is announced. 2026-07-28 gave up
 * logging.
 */
export const CAPABILITIES = { tools: {}, resources: {}, prompts: {}, completions: {} };

/** Making a validator costs more than a call, and this server asks for no client input that would need it. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** The SDK's server for one client: a stdio process, or a single request over HTTP. */
export function createServer(client: ClientContext): Server {
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
