import type { Dispatcher } from "undici";
import { decryptSecret } from "../../auth/secret.ts";
import { createChangeEnvelope } from "../../resources/change/envelope.ts";
import type { Runtime } from "../../runtime.ts";
import { attemptNoticeDelivery } from "../notices/attempt.ts";
import type { ClaimedDelivery, DeliveryContent, DeliveryTargetRow } from "./claim.ts";
import { type AttemptOutcome, buildSignedHeaders, postDelivery } from "./exchange.ts";
import type { DeliveryAttempt } from "./record.ts";

export interface AttemptDependencies {
  runtime: Runtime;
  dispatcher: Dispatcher;
  /** True when targets may have private network addresses. */
  allowPrivate: boolean;
  /** Aborted when the server gives up deliveries in flight. */
  stop: AbortSignal;
}

/** HTTP status by which a receiver refuses all further deliveries. */
export const GONE_STATUS = 410;

/**
 * Makes one attempt with a new timestamp and signature. Every error counts as a failed attempt, so the delivery is
 * retried by the schedule up to the last attempt.
 * @throws the reason of `stop`, when the outcome is unknown
 */
export async function attemptDelivery(
  sender: AttemptDependencies,
  delivery: ClaimedDelivery,
): Promise<DeliveryAttempt> {
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

async function send(sender: AttemptDependencies, delivery: ClaimedDelivery, at: number): Promise<DeliveryAttempt> {
  const { content, target } = delivery;
  if (!target) return { delivery, at, ...unsentOutcome("the target is disabled or deleted"), final: true };
  if (!content) return { delivery, at, ...unsentOutcome("its content is no longer kept"), final: true };
  const outcome =
    target.format === "changes"
      ? await attemptChange(sender, { delivery, content, target, at })
      : await attemptNoticeDelivery(sender, { delivery, content, target, at });
  return {
    delivery,
    at,
    ...outcome,
    ...(outcome.status === GONE_STATUS && target.format !== "email" && { final: true }),
  };
}

export interface DeliveryAttemptInput {
  delivery: ClaimedDelivery;
  content: DeliveryContent;
  target: DeliveryTargetRow;
  /** Time of the attempt, in epoch ms. */
  at: number;
}

/** The outcome of an attempt that sent nothing. */
export const unsentOutcome = (error: string): AttemptOutcome => ({ status: null, error, retryAfter: null });

async function attemptChange(
  sender: AttemptDependencies,
  { delivery, content, target, at }: DeliveryAttemptInput,
): Promise<AttemptOutcome> {
  const { organizationId, targetId: webhookId } = delivery;
  const secrets = openSecrets(sender.runtime, webhookId, target);
  if (!secrets) return unsentOutcome("the server cannot read the secret; give the webhook a new one");
  const body = Buffer.from(
    JSON.stringify({ ...createChangeEnvelope(organizationId, content), webhookTimestamp: at, webhookId }),
  );
  const headers = buildSignedHeaders({ deliveryId: delivery.id, type: content.type, body, at, secrets });
  return postDelivery(sender.dispatcher, target.url ?? "", { headers, body }, sender.stop);
}

/** Decrypts the signing secrets. Returns undefined if the server's own secret has changed since the encryption. */
function openSecrets(
  runtime: Runtime,
  webhookId: string,
  target: DeliveryTargetRow,
): [string, ...string[]] | undefined {
  const open = (sealed: Buffer) => decryptSecret(runtime.secret, webhookId, sealed);
  try {
    const previous = target.previousSecretEncrypted ? [open(target.previousSecretEncrypted)] : [];
    return [open(target.secretEncrypted ?? Buffer.alloc(0)), ...previous];
  } catch (error) {
    runtime.log.error({ err: error, webhookId }, "a webhook's secret cannot be decrypted: was JWT_SECRET changed?");
    return undefined;
  }
}
