import { isUuid } from "../../../formats/uuid.ts";
import { BOUNDS } from "../../accounts/bound.ts";
import { conflict, notFound } from "../../errors.ts";
import { column, given } from "../../read/row.ts";
import { idempotentById } from "../../write/idempotency.ts";
import type { Write } from "../../write/write.ts";
import { BASE, organizationLink } from "../fields.ts";
import { action, mutation, type Resource } from "../resource.ts";
import type { WebhookCreate, WebhookInputs } from "./input.ts";
import { createWebhook, deleteWebhook, rotateWebhookSecret, updateWebhook } from "./registration.ts";
import type { WebhookScope } from "./scope.ts";
import { secretOf, secretsOf, tellingOf, tellingSecret } from "./secret.ts";

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
      error: { type: "text", sql: (row) => `case when not ${column(row, "enabled")} then ${column(row, "error")} end` },
      secret: {
        type: "text",
        secret: true,
        sql: (row) => `(${given(row.build, "secrets", "json")} ->> ${column(row, "id")}::text)`,
      },
    },
    one: {
      organization: organizationLink,
      team: { entity: "Team", by: "teamId", onDelete: "cascade-silently" },
      creator: { entity: "User", by: "creatorId", onDelete: "detach" },
    },
  },
  given: { secrets: ({ scope }) => secretsOf(scope) },
  one: { webhook: { entity: "Webhook" } },
  many: { webhooks: { entity: "Webhook", most: BOUNDS.webhooks.most } },
  mutations: {
    webhookCreate: tellingSecret(
      mutation("owner", WebhookCreateInput, (write, input) => create(write, { ...input, id: input.id?.toLowerCase() })),
    ),
    webhookUpdate: tellingSecret(
      mutation("owner", WebhookUpdateInput, async (write, input, args: { id: string }) => {
        const { id } = await updateWebhook(scopeOf(write), known(args.id), input);
        const secret = await secretOf(write, id);
        return secret === undefined ? { id } : tellingOf(id, secret);
      }),
    ),
    webhookDelete: action("owner", async (write, { id }: { id: string }) => {
      await deleteWebhook(scopeOf(write), known(id));
      return { id };
    }),
    webhookRotateSecret: tellingSecret(
      action("owner", async (write, { id }: { id: string }) => {
        const { secret } = await rotateWebhookSecret(scopeOf(write), known(id));
        return tellingOf(id, secret);
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
  return tellingOf(id, secret);
});

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
