import { randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { audit, type Queryable } from "../../accounts/audit.ts";
import { BOUNDS, takeRoom } from "../../accounts/bound.ts";
import { sealSecret } from "../../auth/secret.ts";
import { conflict, inputError, notFound } from "../../errors.ts";
import type { WebhookCreate, WebhookUpdate } from "./input.ts";

/** On whose behalf a webhook is managed, and the server's secret that encrypts its own. Owners alone come here. */
export interface WebhookScope {
  /** The transaction in hand; to read, the database. */
  db: Queryable;
  organizationId: string;
  userId: string;
  secret: Uint8Array;
}

/** A webhook without its secret. `resourceTypes` null = all. */
export interface Webhook {
  id: string;
  url: string;
  label: string | null;
  teamId: string | null;
  resourceTypes: string[] | null;
  enabled: boolean;
  createdAt: Date;
}

const COLUMNS = `id, url, label, "teamId", "resourceTypes", enabled, "createdAt"`;
/** For how long a replaced secret still signs beside the new one, so that receivers can change over. */
const OVERLAP_MS = 24 * 60 * 60 * 1000;

/**
 * Registers a webhook. The answer holds `secret`, which is never shown again.
 * @throws inputError for an unknown team; conflict `limit_reached` at 100 webhooks, or for an id in use.
 */
export async function createWebhook(scope: WebhookScope, input: WebhookCreate): Promise<Webhook & { secret: string }> {
  await checkTeam(scope, input.teamId);
  await takeRoom(scope.db, "webhooks", scope);
  const id = input.id?.toLowerCase() ?? uuidv7();
  const secret = input.secret ?? newSecret();
  const [webhook] = await scope.db.query<Webhook>({
    text: `insert into webhook ("organizationId", id, url, label, "teamId", "resourceTypes", enabled, "secretEncrypted",
             "creatorId", "createdAt", "updatedAt")
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
           on conflict ("organizationId", id) do nothing returning ${COLUMNS}`,
    values: [
      scope.organizationId,
      id,
      input.url,
      input.label ?? null,
      input.teamId ?? null,
      allOr(input.resourceTypes),
      input.enabled ?? true,
      sealSecret(scope.secret, id, secret),
      scope.userId,
      new Date(),
    ],
  });
  if (!webhook) throw conflict(`A webhook with this id exists: ${id}`, undefined, "id");
  await auditChange(scope, "webhook.created", webhook);
  return { ...webhook, secret };
}

/** An organization's webhooks, newest first. */
export const listWebhooks = (scope: WebhookScope): Promise<Webhook[]> =>
  scope.db.query({
    text: `select ${COLUMNS} from webhook where "organizationId" = $1 order by "createdAt" desc, id desc limit ${BOUNDS.webhooks.most}`,
    values: [scope.organizationId],
  });

/**
 * Changes a webhook; what is absent stays. Enabled again, its record of failures begins anew. A new secret replaces the
 * old one as a rotation does.
 * @throws notFound; inputError for an unknown team.
 */
export async function updateWebhook(scope: WebhookScope, id: string, input: WebhookUpdate): Promise<Webhook> {
  await checkTeam(scope, input.teamId);
  const [webhook] = await scope.db.query<Webhook>({
    text: `update webhook set
             url = coalesce($3, url),
             label = case when $4 then $5 else label end,
             "teamId" = case when $6 then $7::uuid else "teamId" end,
             "resourceTypes" = case when $8 then $9::text[] else "resourceTypes" end,
             enabled = coalesce($10, enabled),
             "failingSince" = case when $10 then null else "failingSince" end,
             "updatedAt" = $11
           where "organizationId" = $1 and id = $2 returning ${COLUMNS}`,
    values: [
      scope.organizationId,
      id,
      input.url ?? null,
      input.label !== undefined,
      input.label ?? null,
      input.teamId !== undefined,
      input.teamId ?? null,
      input.resourceTypes != null,
      allOr(input.resourceTypes),
      input.enabled ?? null,
      new Date(),
    ],
  });
  if (!webhook) throw notFound("webhook", id);
  if (input.secret) await replaceSecret(scope, id, input.secret);
  await auditChange(scope, "webhook.updated", webhook);
  return webhook;
}

/**
 * Gives a webhook a new secret, shown only here; the old one still signs beside it for 24 hours.
 * @throws notFound.
 */
export async function rotateWebhookSecret(
  scope: WebhookScope,
  id: string,
): Promise<{ secret: string; previousSecretUntil: Date }> {
  const secret = newSecret();
  const previousSecretUntil = await replaceSecret(scope, id, secret);
  await audit(scope.db, { event: "webhook.rotated", ...actor(scope), detail: { id } });
  return { secret, previousSecretUntil };
}

/**
 * Deletes a webhook and what waits to be delivered to it.
 * @throws notFound.
 */
export async function deleteWebhook(scope: WebhookScope, id: string): Promise<void> {
  const [webhook] = await scope.db.query<Webhook>({
    text: `delete from webhook where "organizationId" = $1 and id = $2 returning ${COLUMNS}`,
    values: [scope.organizationId, id],
  });
  if (!webhook) throw notFound("webhook", id);
  await scope.db.query({
    text: `delete from delivery where "organizationId" = $1 and "webhookId" = $2 and status = 'pending'`,
    values: [scope.organizationId, id],
  });
  await auditChange(scope, "webhook.deleted", webhook);
}

async function replaceSecret(scope: WebhookScope, id: string, secret: string): Promise<Date> {
  const now = new Date();
  const until = new Date(now.getTime() + OVERLAP_MS);
  const replaced = await scope.db.query({
    text: `update webhook set "previousSecretEncrypted" = "secretEncrypted", "previousSecretUntil" = $3,
             "secretEncrypted" = $4, "updatedAt" = $5
           where "organizationId" = $1 and id = $2 returning id`,
    values: [scope.organizationId, id, until, sealSecret(scope.secret, id, secret), now],
  });
  if (replaced.length === 0) throw notFound("webhook", id);
  return until;
}

async function checkTeam({ db, organizationId }: WebhookScope, teamId: string | null | undefined): Promise<void> {
  if (!teamId) return;
  const [team] = await db.query({
    text: `select from team where "organizationId" = $1 and id = $2`,
    values: [organizationId, teamId],
  });
  if (!team) throw inputError(`team not found: ${teamId}`, "teamId");
}

const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`;

/** No types named, or none at all, is all of them. */
const allOr = (types: readonly string[] | null | undefined) => (types && types.length > 0 ? types : null);

const actor = ({ organizationId, userId }: WebhookScope) => ({ organizationId, accountId: userId });

/** The target's host alone: the rest of a URL may hold a secret. */
const auditChange = (scope: WebhookScope, event: string, { id, url }: Webhook) =>
  audit(scope.db, { event, ...actor(scope), detail: { id, host: new URL(url).host } });
