import { z } from "zod";
import { createIngestKey, deleteIngestKey, listIngestKeys, updateIngestKey } from "../../accounts/keys/ingest-key.ts";
import * as field from "../fields.ts";
import { route } from "../route.ts";

const tag = "Ingest keys";

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

const create = route({
  method: "post",
  path: "/api/ingest-keys",
  tag,
  summary: "Create an ingest key",
  description: `\`key\` is shown this once. It writes events and reads nothing. ${SETTINGS}`,
  access: "owner",
  body: z.strictObject({ name: field.name, ...settings }),
  replies: { 201: z.object({ ...shown, key: z.string() }) },
  errors: { 409: "As many keys as there can be (`limit_reached`)." },
  run: ({ runtime, body, caller }) => createIngestKey(runtime.db, { ...caller, ...body }),
});

const list = route({
  method: "get",
  path: "/api/ingest-keys",
  tag,
  summary: "List the organization's ingest keys",
  description: "Newest first, without the keys themselves.",
  access: "owner",
  replies: { 200: z.object({ ingestKeys: z.array(listed) }) },
  run: async ({ runtime, caller }) => ({ ingestKeys: await listIngestKeys(runtime.db, caller.organizationId) }),
});

const update = route({
  method: "patch",
  path: "/api/ingest-keys/:id",
  tag,
  summary: "Change an ingest key",
  description: `Its name, and what is kept from now on; what was recorded stays as it is. ${SETTINGS}`,
  access: "owner",
  body: z.strictObject({ name: field.name.optional(), ...settings }),
  replies: { 200: listed },
  run: ({ runtime, caller, params, body }) => updateIngestKey(runtime.db, caller, params["id"] ?? "", body),
});

const remove = route({
  method: "delete",
  path: "/api/ingest-keys/:id",
  tag,
  summary: "Delete an ingest key",
  description: "It writes nothing from now on; what it wrote stays.",
  access: "owner",
  replies: { 200: field.success },
  async run({ runtime, caller, params }) {
    await deleteIngestKey(runtime.db, caller, params["id"] ?? "");
    return field.done;
  },
});

/** Ingest keys: owners manage the organization's. */
export const ingestKeyRoutes = [create, list, update, remove];
