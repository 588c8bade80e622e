import { createHmac } from "node:crypto";
import { type Dispatcher, errors, request } from "undici";
import { readOwn } from "../../../formats/own.ts";
import { retryAfterMs } from "../../../formats/time.ts";
import { TargetRefused } from "../../outbound/connector.ts";

/** The values that a delivery's headers are made of. */
interface Signed {
  deliveryId: string;
  type: string;
  body: Buffer;
  /** The moment of this attempt, epoch ms. */
  at: number;
  /** The webhook's secret and, for 24 h after a rotation, the one before. */
  secrets: readonly [string, ...string[]];
}

/**
 * Headers of one attempt: `Tracker-*`, the same as `Linear-*`, and those of Standard Webhooks, which
 * alone carry a signature by either secret.
 */
export function signedHeaders({ deliveryId, type, body, at, secrets }: Signed): Record<string, string> {
  const ours = {
    Signature: createHmac("sha256", secrets[0]).update(body).digest("hex"),
    Event: type,
    Delivery: deliveryId,
  };
  const seconds = Math.floor(at / 1000);
  return {
    "Content-Type": "application/json; charset=utf-8",
    "User-Agent": "Trackway-Webhooks",
    ...prefixed("Tracker", ours),
    ...prefixed("Linear", ours),
    "webhook-id": deliveryId,
    "webhook-timestamp": String(seconds),
    "webhook-signature": secrets
      .map((secret) => standardSignature(secret, `${deliveryId}.${seconds}.`, body))
      .join(" "),
  };
}

const prefixed = (prefix: string, values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}-${name}`, value]));

/** Standard Webhooks' v1: keyed with the bytes in base64 after `whsec_`. */
function standardSignature(secret: string, head: string, body: Buffer): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", key).update(head).update(body).digest("base64")}`;
}

/** The end of an attempt. `status` is null when no whole answer came; `error` is null for a 2xx. */
export interface Outcome {
  status: number | null;
  /** A sentence for the delivery log; it never holds anything of the answer. */
  error: string | null;
  /** Milliseconds the receiver asks to wait. */
  retryAfter: number | null;
}

/** The whole exchange, from the name's look-up to the end of the answer, in ms. */
const EXCHANGE_MS = 10_000;
/** Bytes of an answer that are read; a longer answer is cut off and judged by its status. */
const MAX_ANSWER = 64 * 1024;

/**
 * Posts a body and reads the answer, within 10 s and 64 KiB. Redirects are not followed. Never rejects, but for
 * `stop`: then nobody knows whether it arrived.
 * @throws the reason of `stop`
 */
export async function exchange(
  dispatcher: Dispatcher,
  target: string,
  message: { headers: Record<string, string>; body: Buffer },
  stop: AbortSignal,
): Promise<Outcome> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), EXCHANGE_MS);
  const giveUp = () => deadline.abort();
  stop.addEventListener("abort", giveUp, { once: true });
  try {
    const answer = await request(target, {
      method: "POST",
      dispatcher,
      headers: message.headers,
      body: message.body,
      signal: deadline.signal,
    });
    await readBounded(answer.body);
    return judge(answer.statusCode, retryAfterMs(answer.headers["retry-after"], Date.now()));
  } catch (error) {
    stop.throwIfAborted();
    return {
      status: null,
      error: deadline.signal.aborted ? "no whole answer within 10 s" : reasonOf(error),
      retryAfter: null,
    };
  } finally {
    clearTimeout(timer);
    stop.removeEventListener("abort", giveUp);
  }
}

async function readBounded(body: Dispatcher.ResponseData["body"]): Promise<void> {
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > MAX_ANSWER) break;
  }
}

function judge(status: number, retryAfter: number | null): Outcome {
  if (status >= 200 && status < 300) return { status, error: null, retryAfter: null };
  const redirect = status >= 300 && status < 400;
  return {
    status,
    error: redirect ? `answered ${status}; redirects are not followed` : `answered ${status}`,
    retryAfter,
  };
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed before an answer",
  UND_ERR_SOCKET: "the connection was closed before an answer",
  UND_ERR_CONNECT_TIMEOUT: "no connection within 8 s",
  UND_ERR_HEADERS_OVERFLOW: "the answer's headers are too large",
  ENOTFOUND: "the name does not resolve",
  EPIPE: "the connection was closed before an answer",
};

function reasonOf(error: unknown): string {
  if (error instanceof TargetRefused) return error.message;
  const code = String((error as { code?: unknown }).code ?? "");
  if (error instanceof errors.HTTPParserError || code.startsWith("HPE_")) return "the answer is not HTTP";
  if (/CERT|SSL|TLS|SELF_SIGNED|ALTNAME/.test(code)) return `the certificate or TLS failed (${code})`;
  return readOwn(REASONS, code) ?? `the exchange failed (${code || "unknown"})`;
}
