import { z } from "zod";
import { createIngestKey, deleteIngestKey, listIngestKeys } from "../../accounts/ingest-key.ts";
import * as field from "../fields.ts";
import { route } from "../route.ts";

const tag = "Ingest keys";

const create = route({
  method: "post",
  path: "/api/ingest-keys",
  tag,
  summary: "Create an ingest key",
  description: "`key` is shown this once. It writes events and reads nothing.",
  access: "owner",
  body: z.strictObject({ name: field.name }),
  replies: { 201: z.object({ id: field.id, name: z.string(), key: z.string(), createdAt: field.timestamp }) },
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
  replies: {
    200: z.object({
      ingestKeys: z.array(
        z.object({
          id: field.id,
          name: z.string(),
          prefix: z.string(),
          last4: z.string(),
          createdAt: field.timestamp,
          lastUsedAt: field.timestamp.nullable(),
        }),
      ),
    }),
  },
  run: async ({ runtime, caller }) => ({ ingestKeys: await listIngestKeys(runtime.db, caller.organizationId) }),
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
export const ingestKeyRoutes = [create, list, remove];
