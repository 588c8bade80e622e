import { z } from "zod";
import { endConnection, listConnections } from "../../accounts/connection.ts";
import { createIngestKey, deleteIngestKey, listIngestKeys, updateIngestKey } from "../../accounts/keys/ingest-key.ts";
import {
  createAgent,
  createPersonalKey,
  deleteAgent,
  deletePersonalKey,
  listAgents,
  listPersonalKeys,
} from "../../accounts/keys/personal-key.ts";
import { SCOPES } from "../../auth/principal.ts";
import { model } from "../../resources/index.ts";
import { scopeOf } from "../../scope.ts";
import { mutate } from "../../write/mutate.ts";
import type { Write } from "../../write/write.ts";
import * as field from "../fields.ts";
import { action, route } from "../route.ts";
import { removeWith } from "./members.ts";

const KEYS = "Personal keys";

/** Personal keys: everyone manages their own. */
export const apiKeyRoutes = [
  route("post /api/api-keys", KEYS, {
    summary: "Create a personal key",
    description: "`token` is shown this once. The key acts on /graphql and for MCP with all that its holder may do.",
    access: "member",
    body: z.strictObject({
      label: field.name,
      expiresAt: field.moment
        .refine((at) => Date.parse(at) > Date.now(), "has passed")
        .optional()
        .describe("When it ends; without it the key holds until it is deleted."),
    }),
    replies: {
      201: z.object({
        ...{ id: field.id, label: z.string(), token: z.string(), createdAt: field.timestamp },
        expiresAt: field.timestamp.nullable(),
      }),
    },
    errors: { 409: "As many keys as there can be (`limit_reached`)." },
    run: ({ runtime, body: { label, expiresAt }, caller }) => {
      const { organizationId, userId } = caller;
      const until = expiresAt ? new Date(expiresAt) : undefined;
      return createPersonalKey(runtime.db, { organizationId, userId, label, expiresAt: until });
    },
  }),
  route("get /api/api-keys", KEYS, {
    summary: "List your personal keys",
    description: "Newest first, without the keys themselves. Those that ended are listed for 30 days more.",
    access: "member",
    replies: {
      200: z.object({
        apiKeys: z.array(
          z.object({
            id: field.id,
            label: z.string(),
            last4: z.string(),
            createdAt: field.timestamp,
            lastUsedAt: field.timestamp.nullable(),
            expiresAt: field.timestamp.nullable(),
          }),
        ),
      }),
    },
    run: async ({ runtime, caller }) => ({ apiKeys: await listPersonalKeys(runtime.db, caller) }),
  }),
  action("delete /api/api-keys/:id", KEYS, {
    summary: "Delete one of your personal keys",
    description: "It opens nothing from now on, and sockets it opened are closed.",
    access: "member",
    does: ({ runtime, caller, params }) => deletePersonalKey(runtime.db, caller, params["id"] ?? ""),
  }),
];

const AGENTS = "Agents";

/** Agents: owners manage the organization's. */
export const agentRoutes = [
  route("post /api/agents", AGENTS, {
    summary: "Make an agent",
    description:
      "A user of type `app` with a key of its own. `token` is that key, shown this once: it does what a member does, and every change says which agent acted, and for whom.",
    access: "owner",
    body: z.strictObject({ name: field.name }),
    replies: { 201: z.object({ id: field.id, name: z.string(), token: z.string() }) },
    errors: { 409: "As many agents as there can be (`limit_reached`)." },
    async run({ runtime, caller, body: { name } }) {
      const work = async (write: Write) => {
        const { id, token } = await createAgent(write, name);
        return { id, values: { token } };
      };
      const { result } = await mutate(scopeOf(runtime, caller), model, work, { needs: "owner" });
      return { id: String(result.id), name, token: String(result.values?.["token"]) };
    },
  }),
  route("get /api/agents", AGENTS, {
    summary: "List the organization's agents",
    description: "Newest first, without their keys.",
    access: "owner",
    replies: {
      200: z.object({
        agents: z.array(
          z.object({
            id: field.id,
            name: z.string(),
            last4: z.string().nullable(),
            createdAt: field.timestamp,
            lastUsedAt: field.timestamp.nullable(),
          }),
        ),
      }),
    },
    run: async ({ runtime, caller }) => ({ agents: await listAgents(runtime.db, caller.organizationId) }),
  }),
  action("delete /api/agents/:id", AGENTS, {
    summary: "Delete an agent",
    description: "Its key opens nothing from now on, and what it holds is free again; what it wrote stays.",
    access: "owner",
    does: (call) => removeWith(call, deleteAgent),
  }),
];

const CONNECTIONS = "Connections";

/** Programs connected over OAuth: everyone manages their own. */
export const connectionRoutes = [
  route("get /api/connections", CONNECTIONS, {
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
  }),
  action("delete /api/connections/:id", CONNECTIONS, {
    summary: "End one of your connections",
    description: "The program's tokens open nothing from now on, and its sockets are closed.",
    access: "member",
    does: ({ runtime, caller, params }) => endConnection(runtime.db, caller, params["id"] ?? ""),
  }),
];

const INGEST = "Ingest keys";

const SETTINGS = `\`omitPrompts\` leaves out what people and models said, \`omitToolContents\` what tools were given and
answered, of all that hooks and OpenTelemetry send with the key; names, times, tokens and failures stay. \`keepUnknownSpans\`
keeps every span of services that are not recognised, not the first 20 an hour.`;

const settings = {
  omitPrompts: z.boolean().optional(),
  omitToolContents: z.boolean().optional(),
  keepUnknownSpans: z.boolean().optional(),
};

const shown = {
  id: field.id,
  name: z.string(),
  createdAt: field.timestamp,
  omitPrompts: z.boolean(),
  omitToolContents: z.boolean(),
  keepUnknownSpans: z.boolean(),
};

const listed = z.object({
  ...shown,
  prefix: z.string(),
  last4: z.string(),
  lastUsedAt: field.timestamp.nullable(),
});

/** Ingest keys: owners manage the organization's. */
export const ingestKeyRoutes = [
  route("post /api/ingest-keys", INGEST, {
    summary: "Create an ingest key",
    description: `\`key\` is shown this once. It writes events and reads nothing. ${SETTINGS}`,
    access: "owner",
    body: z.strictObject({ name: field.name, ...settings }),
    replies: { 201: z.object({ ...shown, key: z.string() }) },
    errors: { 409: "As many keys as there can be (`limit_reached`)." },
    run: ({ runtime, body, caller }) => createIngestKey(runtime.db, { ...caller, ...body }),
  }),
  route("get /api/ingest-keys", INGEST, {
    summary: "List the organization's ingest keys",
    description: "Newest first, without the keys themselves.",
    access: "owner",
    replies: { 200: z.object({ ingestKeys: z.array(listed) }) },
    run: async ({ runtime, caller }) => ({ ingestKeys: await listIngestKeys(runtime.db, caller.organizationId) }),
  }),
  route("patch /api/ingest-keys/:id", INGEST, {
    summary: "Change an ingest key",
    description: `Its name, and what is kept from now on; what was recorded stays as it is. ${SETTINGS}`,
    access: "owner",
    body: z.strictObject({ name: field.name.optional(), ...settings }),
    replies: { 200: listed },
    run: ({ runtime, caller, params, body }) => updateIngestKey(runtime.db, caller, params["id"] ?? "", body),
  }),
  action("delete /api/ingest-keys/:id", INGEST, {
    summary: "Delete an ingest key",
    description: "It writes nothing from now on; what it wrote stays.",
    access: "owner",
    does: ({ runtime, caller, params }) => deleteIngestKey(runtime.db, caller, params["id"] ?? ""),
  }),
];
