import { z } from "zod";
import { createPersonalKey, deletePersonalKey, listPersonalKeys } from "../../accounts/keys/personal-key.ts";
import * as field from "../fields.ts";
import { route } from "../route.ts";

const tag = "Personal keys";

const create = route({
  method: "post",
  path: "/api/api-keys",
  tag,
  summary: "Create a personal key",
  description: "`token` is shown this once. The key acts on /graphql and for MCP with all that its holder may do.",
  access: "member",
  body: z.strictObject({
    label: field.name,
    expiresAt: z.iso
      .datetime({ offset: true })
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
});

const list = route({
  method: "get",
  path: "/api/api-keys",
  tag,
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
});

const remove = route({
  method: "delete",
  path: "/api/api-keys/:id",
  tag,
  summary: "Delete one of your personal keys",
  description: "It opens nothing from now on, and sockets it opened are closed.",
  access: "member",
  replies: { 200: field.success },
  async run({ runtime, caller, params }) {
    await deletePersonalKey(runtime.db, caller, params["id"] ?? "");
    return field.done;
  },
});

/** Personal keys: everyone manages their own. */
export const apiKeyRoutes = [create, list, remove];
