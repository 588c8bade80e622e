import { z } from "zod";
import { getMonotonicEpochMs } from "../../../concurrency/held-clock.ts";
import { listConnectedApps, revokeConnectedApp } from "../../accounts/connection.ts";
import { createIngestKey, deleteIngestKey, listIngestKeys, updateIngestKey } from "../../accounts/keys/ingest-key.ts";
import {
  createAgent,
  createPersonalKey,
  deleteAgent,
  deletePersonalKey,
  listAgents,
  listPersonalKeys,
} from "../../accounts/keys/personal-key.ts";
import { OAUTH_SCOPES } from "../../auth/principal.ts";
import { entityModel } from "../../resources/index.ts";
import { createScope } from "../../scope.ts";
import { runMutationTransaction } from "../../write/mutate.ts";
import type { WriteContext } from "../../write/write.ts";
import * as field from "../fields.ts";
import { defineRoute, defineSuccessOnlyRoute } from "../route.ts";
import { removeMemberAndReleaseIssues } from "./members.ts";

const KEYS = "Personal keys";

/** Personal keys. Every member manages their own keys. */
export const personalKeyRoutes = [
  defineRoute("post /api/api-keys", KEYS, {
    summary: "Create a personal key",
    description: "Returns `token` only in this response. On /graphql and for MCP, the key has all rights of its user.",
    access: "member",
    body: z.strictObject({
      label: field.name,
      expiresAt: field.timestampInput
        .refine((at) => Date.parse(at) > getMonotonicEpochMs(), "has passed")
        .optional()
        .describe("Time at which the key expires. Without this field, the key is valid until you delete the key."),
    }),
    replies: {
      201: z.object({
        ...{ id: field.id, label: z.string(), token: z.string(), createdAt: field.timestamp },
        expiresAt: field.timestamp.nullable(),
      }),
    },
    errors: { 409: "You already have the maximum number of keys (`limit_reached`)." },
    run: ({ runtime, body: { label, expiresAt }, caller }) => {
      const { organizationId, userId } = caller;
      const until = expiresAt ? new Date(expiresAt) : undefined;
      return createPersonalKey(runtime.db, { organizationId, userId, label, expiresAt: until });
    },
  }),
  defineRoute("get /api/api-keys", KEYS, {
    summary: "List your personal keys",
    description: "Lists the newest keys first, without their secret values. Expired keys stay in the list for 30 days.",
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
  defineSuccessOnlyRoute("delete /api/api-keys/:id", KEYS, {
    summary: "Delete one of your personal keys",
    description: "Revokes the key. The server closes open sockets that use the key.",
    access: "member",
    does: ({ runtime, caller, params }) => deletePersonalKey(runtime.db, caller, params["id"] ?? ""),
  }),
];

const AGENTS = "Agents";

/** Agents. Owners manage the organization's agents. */
export const agentRoutes = [
  defineRoute("post /api/agents", AGENTS, {
    summary: "Create an agent",
    description:
      "Creates a user of type `app` with its own key. Returns the key as `token` only in this response. The agent has the rights of a member. Every change shows the agent, and the member on whose behalf the agent acted.",
    access: "owner",
    body: z.strictObject({ name: field.name }),
    replies: { 201: z.object({ id: field.id, name: z.string(), token: z.string() }) },
    errors: { 409: "The organization has the maximum number of agents (`limit_reached`)." },
    async run({ runtime, caller, body: { name } }) {
      const work = async (write: WriteContext) => {
        const { id, token } = await createAgent(write, name);
        return { id, values: { token } };
      };
      const { result } = await runMutationTransaction(createScope(runtime, caller), entityModel, work, {
        needs: "owner",
      });
      return { id: String(result.id), name, token: String(result.values?.["token"]) };
    },
  }),
  defineRoute("get /api/agents", AGENTS, {
    summary: "List the organization's agents",
    description: "Lists the newest agents first, without keys.",
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
  defineSuccessOnlyRoute("delete /api/agents/:id", AGENTS, {
    summary: "Delete an agent",
    description:
      "Revokes the key of the agent and releases the issues that the agent claimed. Data that the agent wrote is kept.",
    access: "owner",
    does: (call) => removeMemberAndReleaseIssues(call, deleteAgent),
  }),
];

const CONNECTIONS = "Connections";

/** Apps connected over OAuth. Every member manages their own connections. */
export const connectedAppRoutes = [
  defineRoute("get /api/connections", CONNECTIONS, {
    summary: "List the apps that you connected",
    description: "Apps that act on your behalf in this organization over OAuth, newest first.",
    access: "member",
    replies: {
      200: z.object({
        connections: z.array(
          z.object({
            id: field.id,
            clientName: z.string().describe("Name that the app reports."),
            clientId: z.string(),
            redirectHost: z.string().describe("Host of the redirect URI that the app used at sign-in."),
            scopes: z.array(z.enum(OAUTH_SCOPES)),
            createdAt: field.timestamp,
            lastUsedAt: field.timestamp,
          }),
        ),
      }),
    },
    run: async ({ runtime, caller }) => ({ connections: await listConnectedApps(runtime.db, caller) }),
  }),
  defineSuccessOnlyRoute("delete /api/connections/:id", CONNECTIONS, {
    summary: "Disconnect one of your apps",
    description: "Revokes the tokens of the app, and closes its sockets.",
    access: "member",
    does: ({ runtime, caller, params }) => revokeConnectedApp(runtime.db, caller, params["id"] ?? ""),
  }),
];

const INGEST = "Ingest keys";

const SETTINGS = `\`omitPrompts\` removes prompts and replies, and \`omitToolContents\` removes arguments and results of tools, from all data
that hooks and OpenTelemetry send with the key. Names, times, tokens and failures stay. \`keepUnknownSpans\` stores every span
of unrecognized services, instead of the first 20 per hour.`;

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

/** Ingest keys. Owners manage the organization's keys. */
export const ingestKeyRoutes = [
  defineRoute("post /api/ingest-keys", INGEST, {
    summary: "Create an ingest key",
    description: `Returns \`key\` only in this response. The key writes events and reads nothing. ${SETTINGS}`,
    access: "owner",
    body: z.strictObject({ name: field.name, ...settings }),
    replies: { 201: z.object({ ...shown, key: z.string() }) },
    errors: { 409: "The organization has the maximum number of keys (`limit_reached`)." },
    run: ({ runtime, body, caller }) => createIngestKey(runtime.db, { ...caller, ...body }),
  }),
  defineRoute("get /api/ingest-keys", INGEST, {
    summary: "List the organization's ingest keys",
    description: "Lists the newest keys first, without their secret values.",
    access: "owner",
    replies: { 200: z.object({ ingestKeys: z.array(listed) }) },
    run: async ({ runtime, caller }) => ({ ingestKeys: await listIngestKeys(runtime.db, caller.organizationId) }),
  }),
  defineRoute("patch /api/ingest-keys/:id", INGEST, {
    summary: "Change an ingest key",
    description: `Changes the name of the key, and which data the server stores from now on. Recorded data does not change. ${SETTINGS}`,
    access: "owner",
    body: z.strictObject({ name: field.name.optional(), ...settings }),
    replies: { 200: listed },
    run: ({ runtime, caller, params, body }) => updateIngestKey(runtime.db, caller, params["id"] ?? "", body),
  }),
  defineSuccessOnlyRoute("delete /api/ingest-keys/:id", INGEST, {
    summary: "Delete an ingest key",
    description: "Revokes the key. Data written with the key is kept.",
    access: "owner",
    does: ({ runtime, caller, params }) => deleteIngestKey(runtime.db, caller, params["id"] ?? ""),
  }),
];
