import { openSecret } from "../../auth/secret.ts";
import { notFound } from "../../errors.ts";
import { isUuid } from "../../id.ts";
import { column, given } from "../../read/row.ts";
import { repeatable } from "../../write/idempotency.ts";
import type { Result } from "../../write/result.ts";
import type { Write } from "../../write/write.ts";
import { BASE, organizationLink } from "../fields.ts";
import { requireOwner } from "../owner.ts";
import { action, type Mutation, mutation, type Resource } from "../resource.ts";
import { type WebhookCreate, WebhookCreateInput, WebhookUpdateInput } from "./input.ts";
import { createWebhook, deleteWebhook, rotateWebhookSecret, updateWebhook, type WebhookScope } from "./registration.ts";

/** Webhooks as GraphQL has them: the same functions the control plane calls. Owners only; audited, not logged. */
export const webhook: Resource = {
  entity: {
    name: "Webhook",
    table: "webhook",
    ownersOnly: true,
    columns: { ...BASE, label: "text", url: "text", enabled: "boolean" },
    computed: {
      resourceTypes: { type: "text[]", sql: (row) => `coalesce(${column(row, "resourceTypes")}, '{}')` },
      allPublicTeams: { type: "boolean", sql: (row) => `(${column(row, "teamId")} is null)` },
      secret: { type: "text", sql: (row) => given(row.build, "secret", "text") },
    },
    one: {
      organization: organizationLink,
      team: { entity: "Team", by: "teamId" },
      creator: { entity: "User", by: "creatorId" },
    },
  },
  one: { webhook: { entity: "Webhook" } },
  many: { webhooks: { entity: "Webhook" } },
  mutations: {
    webhookCreate: showing(
      mutation(WebhookCreateInput, (write, input) => {
        requireOwner(write);
        return create(write, { ...input, id: input.id?.toLowerCase() });
      }),
    ),
    webhookUpdate: mutation(WebhookUpdateInput, async (write, input, args: { id: string }) => {
      const { id } = await updateWebhook(scopeOf(write), known(args.id), input);
      return { id };
    }),
    webhookDelete: action(async (write, { id }: { id: string }) => {
      await deleteWebhook(scopeOf(write), known(id));
      return { id };
    }),
    webhookRotateSecret: showing(
      action(async (write, { id }: { id: string }) => {
        const { secret } = await rotateWebhookSecret(scopeOf(write), known(id));
        return { id, values: { secret } };
      }),
    ),
  },
};

const create = repeatable("Webhook", async (write: Write, input: WebhookCreate) => {
  const { id, secret } = await createWebhook(scopeOf(write), input);
  return { id, values: { secret } };
});

/** A mutation that tells a secret, which is told again to who repeats the request with its Idempotency-Key. */
function showing(each: Mutation): Mutation {
  const again = async (write: Write, result: Result): Promise<Result> => {
    const [row] = await write.trx.query<{ secretEncrypted: Buffer }>({
      text: `select "secretEncrypted" from webhook where "organizationId" = $1 and id = $2`,
      values: [write.scope.organizationId, result.id],
    });
    const id = String(result.id);
    return row ? { ...result, values: { secret: openSecret(write.scope.secret, id, row.secretEncrypted) } } : result;
  };
  return { ...each, again };
}

/** @throws forbidden for members who are not owners. */
function scopeOf(write: Write): WebhookScope {
  requireOwner(write);
  write.direct = true;
  const { organizationId, userId, secret } = write.scope;
  return { db: write.trx, organizationId, userId, secret };
}

/** @throws notFound for what is no id at all. */
function known(id: string): string {
  if (!isUuid(id)) throw notFound("webhook", id);
  return id.toLowerCase();
}
