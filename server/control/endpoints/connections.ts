import { z } from "zod";
import { endConnection, listConnections } from "../../accounts/connection.ts";
import { SCOPES } from "../../auth/principal.ts";
import * as field from "../fields.ts";
import { route } from "../route.ts";

const tag = "Connections";

const list = route({
  method: "get",
  path: "/api/connections",
  tag,
  summary: "List the programs you connected",
  description: "Those that act for you in this organization over OAuth, newest first.",
  access: "member",
  replies: {
    200: z.object({
      connections: z.array(
        z.object({
          id: field.id,
          clientName: z.string().describe("What the program calls itself."),
          clientId: z.string(),
          redirectHost: z.string().describe("Where its sign-in ended."),
          scopes: z.array(z.enum(SCOPES)),
          createdAt: field.timestamp,
          lastUsedAt: field.timestamp,
        }),
      ),
    }),
  },
  run: async ({ runtime, caller }) => ({ connections: await listConnections(runtime.db, caller) }),
});

const remove = route({
  method: "delete",
  path: "/api/connections/:id",
  tag,
  summary: "End one of your connections",
  description: "The program's tokens open nothing from now on, and its sockets are closed.",
  access: "member",
  replies: { 200: field.success },
  async run({ runtime, caller, params }) {
    await endConnection(runtime.db, caller, params["id"] ?? "");
    return field.done;
  },
});

/** Programs connected over OAuth: everyone manages their own. */
export const connectionRoutes = [list, remove];
