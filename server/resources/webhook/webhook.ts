import { isUuid } from "../../../formats/uuid.ts";
import { ROW_LIMITS } from "../../accounts/bound.ts";
import { conflict, notFound } from "../../errors.ts";
import { bindGiven, columnSql } from "../../read/row.ts";
import { idempotentById } from "../../write/idempotency.ts";
import type { WriteContext } from "../../write/write.ts";
import { BASE_COLUMNS, organizationLink } from "../fields.ts";
import { defineIdMutation, defineInputMutation, type Resource } from "../resource.ts";
import type { WebhookCreate, WebhookInputSchemas } from "./input.ts";
import { createWebhook, deleteWebhook, rotateWebhookSecret, updateWebhook } from "./registration.ts";
import type { WebhookScope } from "./scope.ts";
import { buildSecretPayload, readWebhookSecret, readWebhookSecretsJson, withSecretInPayload } from "./secret.ts";

/**
 * Webhooks in GraphQL, with the same functions as in the control plane. Only owners have access. Changes of webhooks
 * are in the audit log, not in the change log.
 */
export const createWebhookResource = ({ WebhookCreateInput, WebhookUpdateInput }: WebhookInputSchemas): Resource => ({
  entity: {
    name: "Webhook",
    table: "webhook",
    ownersOnly: true,
    columns: { ...BASE_COLUMNS, label: "text", url: "text", enabled: "boolean" },
    computed: {
      resourceTypes: { type: "text[]", sql: (row) => `coalesce(${columnSql(row, "resourceTypes")}, '{}')` },
      allPublicTeams: { type: "boolean", sql: (row) => `(${columnSql(row, "teamId")} is null)` },
      error: {
        type: "text",
        sql: (row) => `case when not ${columnSql(row, "enabled")} then ${columnSql(row, "error")} end`,
      },
      secret: {
        type: "text",
        secret: true,
        sql: (row) => `(${bindGiven(row.build, "secrets", "json")} ->> ${columnSql(row, "id")}::text)`,
      },
    },
    one: {
      organization: organizationLink,
      team: { entity: "Team", by: "teamId", onDelete: "cascade-silently" },
      creator: { entity: "User", by: "creatorId", onDelete: "detach" },
    },
  },
  given: { secrets: ({ scope }) => readWebhookSecretsJson(scope) },
  one: { webhook: { entity: "Webhook" } },
  many: { webhooks: { entity: "Webhook", most: ROW_LIMITS.webhooks.most } },
  mutations: {
    webhookCreate: withSecretInPayload(
      defineInputMutation("owner", WebhookCreateInput, (write, input) =>
        create(write, { ...input, id: input.id?.toLowerCase() }),
      ),
    ),
    webhookUpdate: withSecretInPayload(
      defineInputMutation("owner", WebhookUpdateInput, async (write, input, args: { id: string }) => {
        const { id } = await updateWebhook(scopeOf(write), known(args.id), input);
        const secret = await readWebhookSecret(write, id);
        return secret === undefined ? { id } : buildSecretPayload(id, secret);
      }),
    ),
    webhookDelete: defineIdMutation("owner", async (write, { id }: { id: string }) => {
      await deleteWebhook(scopeOf(write), known(id));
      return { id };
    }),
    webhookRotateSecret: withSecretInPayload(
      defineIdMutation("owner", async (write, { id }: { id: string }) => {
        const { secret } = await rotateWebhookSecret(scopeOf(write), known(id));
        return buildSecretPayload(id, secret);
      }),
      () => {
        const message = "the secret this call made was replaced since; rotate again with a new Idempotency-Key";
        throw conflict(message, undefined, "Idempotency-Key");
      },
    ),
  },
});

const create = idempotentById("Webhook", async (write: WriteContext, input: WebhookCreate) => {
  const { id, secret } = await createWebhook(scopeOf(write), input);
  return buildSecretPayload(id, secret);
});

function scopeOf(write: WriteContext): WebhookScope {
  write.direct = true;
  const { organizationId, userId, secret } = write.scope;
  return { db: write.trx, organizationId, userId, secret };
}

/** @throws notFound for a text that is no id. */
function known(id: string): string {
  if (!isUuid(id)) throw notFound("webhook", id);
  return id.toLowerCase();
}
