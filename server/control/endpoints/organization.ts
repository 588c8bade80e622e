import { z } from "zod";
import { listAudit } from "../../accounts/audit.ts";
import { switchOrganization } from "../../accounts/login/log-in.ts";
import { createOrganization } from "../../accounts/organization.ts";
import { listPrices } from "../../prices/rates.ts";
import * as field from "../fields.ts";
import { route } from "../route.ts";

/** Organizations. */
export const organizationRoutes = [
  route("post /api/organization", "Organization", {
    summary: "Create an organization",
    description:
      "The caller becomes its owner. The new tokens carry the organization; earlier ones stay good without it. It starts without a team: create one with teamCreate on /graphql.",
    access: "account",
    body: z.strictObject({ name: field.name, urlKey: field.newUrlKey }),
    replies: {
      201: field.tokens.extend({ organization: z.object({ id: field.id, name: z.string(), urlKey: z.string() }) }),
    },
    errors: { 409: "The urlKey is taken (`url_key_taken`)." },
    async run({ runtime, body, caller }) {
      const { id, name, urlKey } = await createOrganization(runtime.db, { ...body, accountId: caller.accountId });
      return { organization: { id, name, urlKey }, ...(await switchOrganization(runtime, caller, urlKey)) };
    },
  }),
];

/** Prices of one answer: a search narrows them. */
const MOST = 50;

const dollars = z.number();

/** Routes of what models cost. */
export const priceRoutes = [
  route("get /api/prices", "Organization", {
    summary: "Find list prices of models",
    description:
      "The table that comes with the server, by which costs are computed where the organization has no price of its own. US dollars for a million tokens, as they are today.",
    access: "member",
    query: z.strictObject({
      search: z.string().max(100).optional().describe("Only models whose name holds this, in any case."),
    }),
    replies: {
      200: z.object({
        prices: z.array(
          z.object({
            model: z.string(),
            input: dollars,
            output: dollars.nullable().describe("Null where it costs what input does; so for a cache."),
            cacheRead: dollars.nullable(),
            cacheWrite: dollars.nullable(),
            tiered: z.boolean().describe("Long prompts cost more than this."),
          }),
        ),
        total: z.int().describe(`The number of models that fit; the first ${MOST} are in the answer.`),
      }),
    },
    run: async ({ query: { search = "" } }) => listPrices(search, Date.now(), MOST),
  }),
];

/** Routes by which owners read the audit. */
export const auditRoutes = [
  route("get /api/audit", "Audit", {
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
      from: field.moment.optional().describe("Only what happened at this moment or later."),
      to: field.moment.optional().describe("Only what happened before this moment."),
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
  }),
];
