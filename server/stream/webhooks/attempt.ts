import type { Dispatcher } from "undici";
import { openSecret } from "../../auth/secret.ts";
import { envelope } from "../../resources/change/envelope.ts";
import type { Runtime } from "../../runtime.ts";
import { attemptNotice } from "../notices/attempt.ts";
import type { Claimed, Content, Target } from "./claim.ts";
import { exchange, type Outcome, signedHeaders } from "./exchange.ts";
import type { Attempt } from "./record.ts";

/** The parts that attempts are made with. */
export interface Sender {
  runtime: Runtime;
  dispatcher: Dispatcher;
  /** True where targets may stand at addresses that are not public. */
  allowPrivate: boolean;
  /** Aborted when deliveries on their way are given up. */
  stop: AbortSignal;
}

/** A receiver that says it wants nothing ever again. */
export const GONE = 410;

/**
 * Makes one attempt, stamped and signed anew. Whatever throws is a failed attempt: the delivery has its next one by the
 * schedule, and its last.
 * @throws the reason of `stop`, when nobody knows how it ended
 */
export async function attempt(sender: Sender, delivery: Claimed): Promise<Attempt> {
  const at = Date.now();
  try {
    return await send(sender, delivery, at);
  } catch (error) {
    sender.stop.throwIfAborted();
    const { id: deliveryId, targetId } = delivery;
    sender.runtime.log.error({ err: error, deliveryId, targetId }, "a delivery could not be made ready");
    return { delivery, at, ...failure("the server could not make it ready; its log says why") };
  }
}

async function send(sender: Sender, delivery: Claimed, at: number): Promise<Attempt> {
  const { content, target } = delivery;
  if (!target) return { delivery, at, ...failure("the target is disabled or deleted"), final: true };
  if (!content) return { delivery, at, ...failure("its content is no longer kept"), final: true };
  const outcome =
    target.format === "changes"
      ? await attemptChange(sender, { delivery, content, target, at })
      : await attemptNotice(sender, { delivery, content, target, at });
  return { delivery, at, ...outcome, ...(outcome.status === GONE && target.format !== "email" && { final: true }) };
}

/** A delivery that is to be sent now. */
export interface Sending {
  delivery: Claimed;
  content: Content;
  target: Target;
  /** The moment of the attempt, epoch ms. */
  at: number;
}

/** The outcome of an attempt that sent nothing. */
export const failure = (error: string): Outcome => ({ status: null, error, retryAfter: null });

async function attemptChange(sender: Sender, { delivery, content, target, at }: Sending): Promise<Outcome> {
  const { organizationId, targetId: webhookId } = delivery;
  const secrets = openSecrets(sender.runtime, webhookId, target);
  if (!secrets) return failure("the server cannot read the secret; give the webhook a new one");
  const body = Buffer.from(JSON.stringify({ ...envelope(organizationId, content), webhookTimestamp: at, webhookId }));
  const headers = signedHeaders({ deliveryId: delivery.id, type: content.type, body, at, secrets });
  return exchange(sender.dispatcher, target.url ?? "", { headers, body }, sender.stop);
}

/** The secrets that sign now; undefined when the server's own secret has changed. */
function openSecrets(runtime: Runtime, webhookId: string, target: Target): [string, ...string[]] | undefined {
  const open = (sealed: Buffer) => openSecret(runtime.secret, webhookId, sealed);
  try {
    const previous = target.previousSecretEncrypted ? [open(target.previousSecretEncrypted)] : [];
    return [open(target.secretEncrypted ?? Buffer.alloc(0)), ...previous];
  } catch (error) {
    runtime.log.error({ err: error, webhookId }, "a webhook's secret cannot be read: was JWT_SECRET changed?");
    return undefined;
  }
}
