// Receives webhooks on a port of this computer. Prints each delivery once, and rejects deliveries without Trackway's
// signature. The secret is in WEBHOOK_SECRET; the settings page and `webhookCreate` show the secret.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const { WEBHOOK_SECRET = "" } = process.env;
const PORT = process.env.PORT || "4300";
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_AGE_MS = 5 * 60 * 1000;
/** Ids of the newest deliveries. A delivery arrives at least once; a repeat has the same id. */
const seen = new Set();

const server = createServer(async (request, response) => {
  const body = await read(request);
  if (!body || !isSigned(body, request.headers["tracker-signature"])) return response.writeHead(401).end();
  const change = JSON.parse(body);
  if (Math.abs(Date.now() - change.webhookTimestamp) > MAX_AGE_MS) return response.writeHead(401).end();
  // Respond first and work later, because Trackway waits for at most 10 s.
  response.writeHead(200).end();
  if (!isFirst(request.headers["tracker-delivery"])) return;
  console.log(`${change.type} ${change.action} by ${change.actor.name ?? "the system"}: ${change.url}`);
});
server.listen(Number(PORT), "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}/`));

/** Checks the signature, which covers the bytes of the body as received. Parse the body only after this check. */
function isSigned(body, signature = "") {
  const expected = createHmac("sha256", WEBHOOK_SECRET).update(body).digest();
  const given = Buffer.from(signature, "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function isFirst(id) {
  if (seen.has(id)) return false;
  seen.add(id);
  if (seen.size > 10_000) seen.delete(seen.values().next().value);
  return true;
}

/** Reads a body. Returns undefined if it is too long. */
async function read(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
