import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv-provider.js";
import type { Session } from "./client-context.ts";
import { ProtocolError } from "./errors.ts";
import { METHODS } from "./handlers/index.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { SERVER_INFO } from "./package-info.ts";

/** What this server can do; nothing in it changes by itself, so nothing is announced. 2026-07-28 gave up logging. */
export const CAPABILITIES = { tools: {}, resources: {}, prompts: {}, completions: {} };

/** Making a validator costs more than a call, and this server asks for no client input that would need it. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** A protocol server for one session: a stdio process, or a single request over HTTP. */
export function createServer(session: Session): Server {
  const server = new Server(SERVER_INFO, {
    capabilities: { ...CAPABILITIES, logging: {} },
    instructions: INSTRUCTIONS,
    jsonSchemaValidator,
  });
  // One table answers all methods: a handler each would be built again for every request over HTTP.
  server.fallbackRequestHandler = async (request, extra) => {
    const method = METHODS[request.method];
    if (!method) throw new ProtocolError(-32601, `Method not found: ${request.method}`);
    return method(request.params ?? {}, session, extra.signal);
  };
  return server;
}
