import type { Dispatcher } from "undici";
import { openSecret } from "../../auth/secret.ts";
import { envelope } from "../../resources/change/envelope.ts";
import type { Runtime } from "../../runtime.ts";
import { attemptNotice } from "../notices/attempt.ts";
import type { Claimed, Content, Target } from "./claim.ts";
import { type AttemptOutcome, postDelivery, signedHeaders } from "./exchange.ts";
import type { DeliveryAttempt } from "./record.ts";

/** The dependencies of an attempt. */
export interface Sender {
  runtime: Runtime;
  dispatcher: Dispatcher;
  /** True when targets may have private network addresses. */
  allowPrivate: boolean;
  /** Aborted when the server gives up deliveries in flight. */
  stop: AbortSignal;
}

/** HTTP status by which a receiver refuses all further deliveries. */
export const GONE = 410;

/**
 * Makes one attempt with a new timestamp and signature. Every error counts as a failed attempt, so the delivery is
 * retried by the schedule up to the last attempt.
 * @throws the reason of `stop`, when the outcome is unknown
 */
export async function attemptDelivery(sender: Sender, delivery: Claimed): Promise<DeliveryAttempt> {
  const at = Date.now();
  try {
    return await send(sender, delivery, at);
  } catch (error) {
    sender.stop.throwIfAborted();
    const { id: deliveryId, targetId } = delivery;
    sender.runtime.log.error({ err: error, deliveryId, targetId }, "a delivery could not be prepared");
    return {
      delivery,
      at,
      ...unsentOutcome("the server could not prepare the delivery; the server's log has the reason"),
    };
  }
}

async function send(sender: Sender, delivery: Claimed, at: number): Promise<DeliveryAttempt> {
  const { content, target } = delivery;
  if (!target) return { delivery, at, ...unsentOutcome("the target is disabled or deleted"), final: true };
  if (!content) return { delivery, at, ...unsentOutcome("its content is no longer kept"), final: true };
  const outcome =
    target.format === "changes"
      ? await attemptChange(sender, { delivery, content, target, at })
      : await attemptNotice(sender, { delivery, content, target, at });
  return { delivery, at, ...outcome, ...(outcome.status === GONE && target.format !== "email" && { final: true }) };
}

export interface Sending {
  delivery: Claimed;
  content: Content;
  target: Target;
  /** Time of the attempt, in epoch ms. */
  at: number;
}

/** The outcome of an attempt that sent nothing. */
export const unsentOutcome = (error: string): AttemptOutcome => ({ status: null, error, retryAfter: null });

async function attemptChange(sender: Sender, { delivery, content, target, at }: Sending): Promise<AttemptOutcome> {
  const { organizationId, targetId: webhookId } = delivery;
  const secrets = openSecrets(sender.runtime, webhookId, target);
  if (!secrets) return unsentOutcome("the server cannot read the secret; give the webhook a new one");
  const body = Buffer.from(JSON.stringify({ ...envelope(organizationId, content), webhookTimestamp: at, webhookId }));
  const headers = signedHeaders({ deliveryId: delivery.id, type: content.type, body, at, secrets });
  return postDelivery(sender.dispatcher, target.url ?? "", { headers, body }, sender.stop);
}

/** Decrypts the signing secrets. Undefined when the server's own secret has changed. */
function openSecrets(runtime: Runtime, webhookId: string, target: Target): [string, ...string[]] | undefined {
  const open = (sealed: Buffer) => openSecret(runtime.secret, webhookId, sealed);
  try {
    const previous = target.previousSecretEncrypted ? [open(target.previousSecretEncrypted)] : [];
    return [open(target.secretEncrypted ?? Buffer.alloc(0)), ...previous];
  } catch (error) {
    runtime.log.error({ err: error, webhookId }, "a webhook's secret cannot be decrypted: was JWT_SECRET changed?");
    return undefined;
  }
}
