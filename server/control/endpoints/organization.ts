import { z } from "zod";
import { listAudit } from "../../accounts/audit.ts";
import { switchOrganization } from "../../accounts/login/log-in.ts";
import { createOrganization } from "../../accounts/organization.ts";
import { listPrices } from "../../prices/rates.ts";
import * as field from "../fields.ts";
import { defineRoute } from "../route.ts";

export const organizationRoutes = [
  defineRoute("post /api/organization", "Organization", {
    summary: "Create an organization",
    description:
      "The caller becomes the owner. The returned tokens are for the new organization. Earlier tokens stay valid without the new organization. A new organization has no team: create a team with teamCreate on /graphql.",
    access: "account",
    body: z.strictObject({ name: field.name, urlKey: field.newUrlKey }),
    replies: {
      201: field.tokenPairSchema.extend({
        organization: z.object({ id: field.id, name: z.string(), urlKey: z.string() }),
      }),
    },
    errors: { 409: "The urlKey is taken (`url_key_taken`)." },
    async run({ runtime, body, caller }) {
      const { id, name, urlKey } = await createOrganization(runtime.db, { ...body, accountId: caller.accountId });
      return { organization: { id, name, urlKey }, ...(await switchOrganization(runtime, caller, urlKey)) };
    },
  }),
];

/** Maximum number of prices per response. Callers find other prices by a search. */
const MOST = 50;

const dollars = z.number();

/** Routes for the prices of models. */
export const priceRoutes = [
  defineRoute("get /api/prices", "Organization", {
    summary: "Find list prices of models",
    description:
      "Today's list prices of models, in US dollars per million tokens. The server uses a list price if the organization has no price of its own for the model.",
    access: "member",
    query: z.strictObject({
      search: z.string().max(100).optional().describe("Only models whose name contains this text; ignores case."),
    }),
    replies: {
      200: z.object({
        prices: z.array(
          z.object({
            model: z.string(),
            input: dollars,
            output: dollars
              .nullable()
              .describe("Null if the output price equals the input price. Null cache prices mean the same."),
            cacheRead: dollars.nullable(),
            cacheWrite: dollars.nullable(),
            tiered: z.boolean().describe("True if long prompts cost more per token."),
          }),
        ),
        total: z.int().describe(`Number of matching models; the response contains the first ${MOST}.`),
      }),
    },
    run: async ({ query: { search = "" } }) => listPrices(search, Date.now(), MOST),
  }),
];

/** Routes for owners to read the audit log. */
export const auditRoutes = [
  defineRoute("get /api/audit", "Audit", {
    summary: "List the audit log",
    description:
      "Newest first. The audit log contains creations, changes and deletions of keys, agents, webhooks, invitations, members and connections, and logins to the organization. It also contains reads of recorded sessions by members: one entry per user, session and hour. Entries are kept for 400 days.",
    access: "owner",
    query: z.strictObject({
      ...field.pageQuery,
      event: z
        .string()
        .regex(/^[a-zA-Z]{1,64}(\.[a-zA-Z]{1,64})?$/, "is a noun such as apiKey, or an event such as apiKey.created")
        .optional()
        .describe(
          "Only these events: `apiKey` for all events of personal keys, `apiKey.created` for one kind of event.",
        ),
      userId: field.id.optional().describe("Only events of this user."),
      from: field.timestampInput.optional().describe("Only events at this time or later."),
      to: field.timestampInput.optional().describe("Only events before this time."),
    }),
    replies: {
      200: z.object({
        entries: z.array(
          z.object({
            id: field.id,
            event: z.string().describe("Kind of event: `noun.verb`."),
            userId: field.id
              .nullable()
              .describe("User who caused the event; null if the server or an operator caused the event."),
            name: z.string().nullable().describe("Name of the user; null if the user no longer exists."),
            email: z.string().nullable(),
            detail: z.record(z.string(), z.unknown()).describe("Ids, names and addresses of the event; never secrets."),
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
  }),
];
