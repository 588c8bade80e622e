import { createHmac } from "node:crypto";

/** The values that a delivery's headers are made of. */
export interface Signed {
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
