import type { Dispatcher } from "undici";
import { openSecret } from "../../auth/secret.ts";
import { envelope } from "../../resources/change/envelope.ts";
import type { Runtime } from "../../runtime.ts";
import type { Claimed, Webhook } from "./claim.ts";
import { exchange, type Outcome } from "./exchange.ts";
import type { Attempt } from "./record.ts";
import { signedHeaders } from "./sign.ts";

/** The parts that attempts are made with. */
export interface Sender {
  runtime: Runtime;
  dispatcher: Dispatcher;
  /** Aborted when deliveries on their way are given up. */
  stop: AbortSignal;
}

/** A receiver that says it wants nothing ever again. */
export const GONE = 410;

/** Makes one attempt, stamped and signed anew. @throws the reason of `stop`, when nobody knows how it ended. */
export async function attempt(sender: Sender, delivery: Claimed): Promise<Attempt> {
  const at = Date.now();
  const { content, webhook } = delivery;
  if (!webhook) return { delivery, at, ...failure("the webhook is disabled or deleted"), final: true };
  if (!content) return { delivery, at, ...failure("its content is no longer kept"), final: true };
  const { organizationId, webhookId } = delivery;
  const secrets = openSecrets(sender.runtime, delivery, webhook);
  if (!secrets) return { delivery, at, ...failure("the server cannot read the secret; give the webhook a new one") };
  const body = Buffer.from(JSON.stringify({ ...envelope(organizationId, content), webhookTimestamp: at, webhookId }));
  const headers = signedHeaders({ deliveryId: delivery.id, type: content.type, body, at, secrets });
  const outcome = await exchange(sender.dispatcher, webhook.url, { headers, body }, sender.stop);
  return { delivery, at, ...outcome, ...(outcome.status === GONE && { final: true }) };
}

const failure = (error: string): Outcome => ({ status: null, error, retryAfter: null });

/** The secrets that sign now; undefined when the server's own secret has changed. */
function openSecrets(runtime: Runtime, { webhookId }: Claimed, webhook: Webhook): [string, ...string[]] | undefined {
  const open = (sealed: Buffer) => openSecret(runtime.secret, webhookId, sealed);
  try {
    const previous = webhook.previousSecretEncrypted ? [open(webhook.previousSecretEncrypted)] : [];
    return [open(webhook.secretEncrypted), ...previous];
  } catch (error) {
    runtime.log.error({ err: error, webhookId }, "a webhook's secret cannot be read: was JWT_SECRET changed?");
    return undefined;
  }
}
