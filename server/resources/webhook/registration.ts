import { randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { knex, toStatement } from "../../../db/builder.ts";
import { DAY_MS } from "../../../formats/time.ts";
import { writeAuditEntry } from "../../accounts/audit.ts";
import { lockAndCheckRowLimit, ROW_LIMITS } from "../../accounts/bound.ts";
import { isSameSecretReceiver, requireSameSecretReceiver, secretReceiverOfUrl } from "../../auth/receiver.ts";
import { encryptSecret } from "../../auth/secret.ts";
import { conflict, inputError, notFound } from "../../errors.ts";
import type { WebhookCreate, WebhookUpdate } from "./input.ts";
import { readLastAcceptedChangeNumber } from "./pending.ts";
import { buildWebhookQuery, toAuditActor, type WebhookScope } from "./scope.ts";

/**
 * Time in ms after a rotation for which deliveries are signed with both the old and the new secret, so that receivers
 * have time to change the secret.
 */
const OVERLAP_MS = DAY_MS;

/**
 * Replaces the secret of a webhook. The new secret is returned only here. For 24 hours, deliveries are signed with both
 * the old and the new secret.
 * @throws notFound.
 */
export async function rotateWebhookSecret(
  scope: WebhookScope,
  id: string,
): Promise<{ secret: string; previousSecretUntil: Date }> {
  const secret = newSecret();
  const previousSecretUntil = await replaceSecret(scope, id, secret);
  await writeAuditEntry(scope.db, { event: "webhook.rotated", ...toAuditActor(scope), detail: { id } });
  return { secret, previousSecretUntil };
}

/**
 * Replaces a secret. Deliveries are also signed with the old secret until the returned time, unless `ends` is true.
 * @throws notFound
 */
async function replaceSecret(scope: WebhookScope, id: string, secret: string, ends = false): Promise<Date> {
  const now = new Date();
  const until = new Date(now.getTime() + OVERLAP_MS);
  const change = buildWebhookQuery(scope, id).update({
    previousSecretEncrypted: ends ? null : knex.ref("secretEncrypted"),
    previousSecretUntil: until,
    secretEncrypted: encryptSecret(scope.secret, id, secret),
    updatedAt: now,
  });
  const replaced = await scope.db.query(toStatement(change.returning("id")));
  if (replaced.length === 0) throw notFound("webhook", id);
  return until;
}

/** Creates a secret of Standard Webhooks. */
const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`;

/** A webhook without the secret. `resourceTypes` null means all types. */
export interface Webhook {
  id: string;
  url: string;
  label: string | null;
  teamId: string | null;
  resourceTypes: string[] | null;
  enabled: boolean;
  /** Reason why the server disabled the webhook, and the first change that the webhook missed. */
  error: string | null;
  createdAt: Date;
}

const COLUMNS = ["id", "url", "label", "teamId", "resourceTypes", "enabled", "error", "createdAt"];

/**
 * Registers a webhook. The result contains `secret`, which is never shown again.
 * @throws inputError for an unknown team; conflict `limit_reached` at 100 webhooks, or for an id in use.
 */
export async function createWebhook(scope: WebhookScope, input: WebhookCreate): Promise<Webhook & { secret: string }> {
  await checkTeamExists(scope, input.teamId);
  await lockAndCheckRowLimit(scope.db, "webhooks", scope);
  const id = input.id?.toLowerCase() ?? uuidv7();
  const secret = input.secret ?? newSecret();
  const now = new Date();
  const insert = knex("webhook").insert({
    organizationId: scope.organizationId,
    id,
    url: input.url,
    label: input.label ?? null,
    teamId: input.teamId ?? null,
    resourceTypes: allOr(input.resourceTypes),
    enabled: input.enabled ?? true,
    secretEncrypted: encryptSecret(scope.secret, id, secret),
    acceptsUntil: await readLastAcceptedChangeNumber(scope),
    creatorId: scope.userId,
    createdAt: now,
    updatedAt: now,
  });
  const unlessTaken = insert.onConflict(["organizationId", "id"]).ignore().returning(COLUMNS);
  const [webhook] = await scope.db.query<Webhook>(toStatement(unlessTaken));
  if (!webhook) throw conflict(`A webhook with this id exists: ${id}`, undefined, "id");
  await auditChange(scope, "webhook.created", webhook);
  return { ...webhook, secret };
}

/** Lists an organization's webhooks, newest first. */
export const listWebhooks = (scope: WebhookScope): Promise<Webhook[]> =>
  scope.db.query(
    toStatement(
      knex("webhook")
        .where({ organizationId: scope.organizationId })
        .orderBy(["createdAt", "id"].map((column) => ({ column, order: "desc" })))
        .limit(ROW_LIMITS.webhooks.most)
        .select(COLUMNS),
    ),
  );

/**
 * Changes a webhook. Absent fields stay unchanged. Enabling a webhook resets the record of failures. A new secret
 * replaces the old secret as in a rotation; if the URL leads to another receiver, deliveries are never signed with the
 * old secret again.
 * @throws notFound; inputError for an unknown team, and for another receiver without a new secret
 */
export async function updateWebhook(scope: WebhookScope, id: string, input: WebhookUpdate): Promise<Webhook> {
  await checkTeamExists(scope, input.teamId);
  const { url, label, teamId, resourceTypes, enabled, secret } = input;
  const moves =
    url != null && !isSameSecretReceiver(secretReceiverOfUrl(await storedUrl(scope, id)), secretReceiverOfUrl(url));
  if (moves && !secret) requireSameSecretReceiver("secret", undefined, secretReceiverOfUrl(url));
  const patch = {
    ...(url != null && { url }),
    ...(label !== undefined && { label }),
    ...(teamId !== undefined && { teamId }),
    ...(resourceTypes != null && { resourceTypes: allOr(resourceTypes) }),
    ...(enabled != null && { enabled }),
    ...(enabled && { failingSince: null, acceptsUntil: await readLastAcceptedChangeNumber(scope) }),
    ...(enabled != null && { error: null }),
    updatedAt: new Date(),
  };
  const change = buildWebhookQuery(scope, id).update(patch, COLUMNS);
  const [webhook] = await scope.db.query<Webhook>(toStatement(change));
  if (!webhook) throw notFound("webhook", id);
  if (secret) await replaceSecret(scope, id, secret, moves);
  await auditChange(scope, "webhook.updated", webhook);
  return webhook;
}

/** Returns the URL of a webhook, locked until the transaction ends. @throws notFound */
async function storedUrl(scope: WebhookScope, id: string): Promise<string> {
  const [webhook] = await scope.db.query<{ url: string }>(
    toStatement(buildWebhookQuery(scope, id).forUpdate().select("url")),
  );
  if (!webhook) throw notFound("webhook", id);
  return webhook.url;
}

/**
 * Deletes a webhook and the webhook's waiting deliveries.
 * @throws notFound.
 */
export async function deleteWebhook(scope: WebhookScope, id: string): Promise<void> {
  const [webhook] = await scope.db.query<Webhook>(toStatement(buildWebhookQuery(scope, id).delete(COLUMNS)));
  if (!webhook) throw notFound("webhook", id);
  const waiting = knex("delivery").where({ organizationId: scope.organizationId, targetId: id, status: "pending" });
  await scope.db.query(toStatement(waiting.delete()));
  await auditChange(scope, "webhook.deleted", webhook);
}

/** @throws inputError for an unknown or archived team */
export async function checkTeamExists(
  { db, organizationId }: WebhookScope,
  teamId: string | null | undefined,
): Promise<void> {
  if (!teamId) return;
  const [team] = await db.query(
    toStatement(knex("team").where({ organizationId, id: teamId, archivedAt: null }).select("id")),
  );
  if (!team) throw inputError(`team not found: ${teamId}`, "teamId");
}

/** An absent or empty list means all types. */
const allOr = (types: readonly string[] | null | undefined) => (types && types.length > 0 ? types : null);

/** The audit log contains only the target's host, because other parts of a URL may contain a secret. */
const auditChange = (scope: WebhookScope, event: string, { id, url }: Webhook) =>
  writeAuditEntry(scope.db, { event, ...toAuditActor(scope), detail: { id, host: new URL(url).host } });
