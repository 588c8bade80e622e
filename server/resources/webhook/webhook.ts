import { createHmac } from "node:crypto";
import { knex, toStatement } from "../../../db/builder.ts";
import { BOUNDS } from "../../accounts/bound.ts";
import { openSecret } from "../../auth/secret.ts";
import { conflict, notFound } from "../../errors.ts";
import { isUuid } from "../../id.ts";
import { column, given } from "../../read/row.ts";
import { idempotentById } from "../../write/idempotency.ts";
import type { Result } from "../../write/result.ts";
import type { Write } from "../../write/write.ts";
import { BASE, organizationLink } from "../fields.ts";
import { action, type Mutation, mutation, type Resource } from "../resource.ts";
import type { WebhookCreate, WebhookInputs } from "./input.ts";
import { createWebhook, deleteWebhook, rotateWebhookSecret, updateWebhook, type WebhookScope } from "./registration.ts";

/** Webhooks as GraphQL has them: the same functions the control plane calls. Owners only; in the audit and not in the change log. */
export const webhook = ({ WebhookCreateInput, WebhookUpdateInput }: WebhookInputs): Resource => ({
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
      team: { entity: "Team", by: "teamId", onDelete: "cascade-silently" },
      creator: { entity: "User", by: "creatorId", onDelete: "detach" },
    },
  },
  one: { webhook: { entity: "Webhook" } },
  many: { webhooks: { entity: "Webhook", most: BOUNDS.webhooks.most } },
  mutations: {
    webhookCreate: tellingSecret(
      mutation("owner", WebhookCreateInput, (write, input) => create(write, { ...input, id: input.id?.toLowerCase() })),
    ),
    webhookUpdate: mutation("owner", WebhookUpdateInput, async (write, input, args: { id: string }) => {
      const { id } = await updateWebhook(scopeOf(write), known(args.id), input);
      return { id };
    }),
    webhookDelete: action("owner", async (write, { id }: { id: string }) => {
      await deleteWebhook(scopeOf(write), known(id));
      return { id };
    }),
    webhookRotateSecret: tellingSecret(
      action("owner", async (write, { id }: { id: string }) => {
        const { secret } = await rotateWebhookSecret(scopeOf(write), known(id));
        return { id, values: { secret } };
      }),
      () => {
        const message = "the secret this call made was replaced since; rotate again with a new Idempotency-Key";
        throw conflict(message, undefined, "Idempotency-Key");
      },
    ),
  },
});

const create = idempotentById("Webhook", async (write: Write, input: WebhookCreate) => {
  const { id, secret } = await createWebhook(scopeOf(write), input);
  return { id, values: { secret } };
});

/**
 * A mutation whose payload shows a secret. A replay with the same Idempotency-Key shows it again, but never another that
 * took its place since: then `replaced` decides what is answered.
 */
function tellingSecret(each: Mutation, replaced: (result: Result) => Result = (result) => result): Mutation {
  return {
    ...each,
    async run(write, args) {
      const result = await each.run(write, args);
      const secret = result.values?.secret;
      return secret === undefined ? result : { ...result, kept: secretHash(write, String(secret)) };
    },
    async onReplay(write, { kept, ...result }) {
      const secret = await secretOf(write, String(result.id));
      if (secret === undefined || secretHash(write, secret) !== kept) return replaced(result);
      return { ...result, values: { secret } };
    },
  };
}

/** Stored instead of the secret, to recognize it. */
const secretHash = ({ scope }: Write, secret: string): string =>
  createHmac("sha256", scope.secret).update(secret).digest("base64url");

async function secretOf({ scope, trx }: Write, id: string): Promise<string | undefined> {
  const { organizationId } = scope;
  const kept = knex("webhook").where({ organizationId, id }).select("secretEncrypted");
  const [row] = await trx.query<{ secretEncrypted: Buffer }>(toStatement(kept));
  return row && openSecret(scope.secret, id, row.secretEncrypted);
}

function scopeOf(write: Write): WebhookScope {
  write.direct = true;
  const { organizationId, userId, secret } = write.scope;
  return { db: write.trx, organizationId, userId, secret };
}

/** @throws notFound for what is no id at all. */
function known(id: string): string {
  if (!isUuid(id)) throw notFound("webhook", id);
  return id.toLowerCase();
}
