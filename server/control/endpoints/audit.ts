import { z } from "zod";
import { listAudit } from "../../accounts/audit.ts";
import * as field from "../fields.ts";
import { route } from "../route.ts";

const moment = z.iso.datetime({ offset: true }).optional();

const list = route({
  method: "get",
  path: "/api/audit",
  tag: "Audit",
  summary: "List who did what",
  description:
    "Newest first: creations, changes and deletions of keys, agents, webhooks, invitations, members and connections, logins into the organization, and reads of recordings by people, one entry a person, session and hour. They are kept for 400 days.",
  access: "owner",
  query: z.strictObject({
    ...field.page,
    event: z
      .string()
      .regex(/^[a-zA-Z]{1,64}(\.[a-zA-Z]{1,64})?$/, "is a noun such as apiKey, or an event such as apiKey.created")
      .optional()
      .describe("Only these: `apiKey` for all about personal keys, `apiKey.created` for one event."),
    userId: field.id.optional().describe("Only what this user did."),
    from: moment.describe("Only what happened at this moment or later."),
    to: moment.describe("Only what happened before this moment."),
  }),
  replies: {
    200: z.object({
      entries: z.array(
        z.object({
          id: field.id,
          event: z.string().describe("What was done: `noun.verb`."),
          userId: field.id.nullable().describe("Who did it; null for the server itself and its operators."),
          name: z.string().nullable().describe("The user's name; null for who is no longer known here."),
          email: z.string().nullable(),
          detail: z.record(z.string(), z.unknown()).describe("Ids, names and addresses; never a secret."),
          createdAt: field.timestamp,
        }),
      ),
      next_cursor: z.string().optional(),
    }),
  },
  async run({ runtime, caller, query }) {
    const { entries, nextCursor } = await listAudit(runtime.db, caller.organizationId, query);
    return { entries, ...(nextCursor && { next_cursor: nextCursor }) };
  },
});

/** Routes by which owners read the audit. */
export const auditRoutes = [list];
