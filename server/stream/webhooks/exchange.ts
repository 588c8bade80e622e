import { createHmac } from "node:crypto";
import { type Dispatcher, errors, request } from "undici";
import { getOwnProperty } from "../../../formats/own.ts";
import { parseRetryAfterMs } from "../../../formats/time.ts";
import { TargetRefusedError } from "../../outbound/connector.ts";

interface Signed {
  deliveryId: string;
  type: string;
  body: Buffer;
  /** Time of the attempt, in epoch ms. */
  at: number;
  /** The webhook's secret and, for 24 h after a rotation, the previous secret. */
  secrets: readonly [string, ...string[]];
}

/**
 * Builds the headers of one attempt: `Tracker-*`, `Linear-*` with the same values, and the headers of Standard
 * Webhooks. Only the headers of Standard Webhooks contain signatures by both secrets.
 */
export function buildSignedHeaders({ deliveryId, type, body, at, secrets }: Signed): Record<string, string> {
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

/** Signature `v1` of Standard Webhooks. The key is the base64-decoded part after `whsec_`. */
function standardSignature(secret: string, head: string, body: Buffer): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", key).update(head).update(body).digest("base64")}`;
}

/** The result of an attempt. `status` is null without a complete response; `error` is null for a 2xx. */
export interface AttemptOutcome {
  status: number | null;
  /** A sentence for the delivery log. The sentence never contains content of the response. */
  error: string | null;
  /** Milliseconds that the receiver asks to wait. */
  retryAfter: number | null;
}

/** Time limit of the exchange in ms, from the DNS query to the end of the response. */
const EXCHANGE_MS = 10_000;
/** Maximum bytes read of a response. A longer response is cut off, and only its status counts. */
const MAX_ANSWER = 64 * 1024;

/**
 * Posts a body and reads the response, within 10 s and 64 KiB. Redirects are not followed. Rejects only when `stop`
 * is aborted; then the delivery may have arrived.
 * @throws the reason of `stop`
 */
export async function postDelivery(
  dispatcher: Dispatcher,
  target: string,
  message: { headers: Record<string, string>; body: Buffer },
  stop: AbortSignal,
): Promise<AttemptOutcome> {
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
    return judge(answer.statusCode, parseRetryAfterMs(answer.headers["retry-after"], Date.now()));
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

function judge(status: number, retryAfter: number | null): AttemptOutcome {
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
  if (error instanceof TargetRefusedError) return error.message;
  const code = String((error as { code?: unknown }).code ?? "");
  if (error instanceof errors.HTTPParserError || code.startsWith("HPE_")) return "the answer is not HTTP";
  if (/CERT|SSL|TLS|SELF_SIGNED|ALTNAME/.test(code)) return `the certificate or TLS failed (${code})`;
  return getOwnProperty(REASONS, code) ?? `the exchange failed (${code || "unknown"})`;
}
