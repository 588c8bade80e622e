import { randomBytes } from "node:crypto";
import { knex, toStatement } from "../../../db/builder.ts";
import { DAY_MS } from "../../../formats/time.ts";
import { audit } from "../../accounts/audit.ts";
import { sealSecret } from "../../auth/secret.ts";
import { notFound } from "../../errors.ts";
import { actor, type WebhookScope, webhookRow } from "./scope.ts";

/** For how long a replaced secret still signs beside the new one, so that receivers can change over. */
const OVERLAP_MS = DAY_MS;

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

/** Puts a secret in the place of another, which still signs until the moment returned. @throws notFound */
export async function replaceSecret(scope: WebhookScope, id: string, secret: string): Promise<Date> {
  const now = new Date();
  const until = new Date(now.getTime() + OVERLAP_MS);
  const change = webhookRow(scope, id).update({
    previousSecretEncrypted: knex.ref("secretEncrypted"),
    previousSecretUntil: until,
    secretEncrypted: sealSecret(scope.secret, id, secret),
    updatedAt: now,
  });
  const replaced = await scope.db.query(toStatement(change.returning("id")));
  if (replaced.length === 0) throw notFound("webhook", id);
  return until;
}

/** A secret in the form of Standard Webhooks. */
export const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`;
