// Client of `.ci/disk` for a server whose disk fills up. `fill` records events until the server accepts no more.
// `recover` waits until the server accepts events again, and checks that each acknowledged event exists. Reads
// TRACKER_URL, KEYS_FILE and ACKNOWLEDGED (the path of a file).
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const { TRACKER_URL, KEYS_FILE, ACKNOWLEDGED } = process.env;
const BATCH = 20;
const LONGEST_MS = 60_000;

async function send(path, body, headers = {}) {
  const response = await fetch(`${TRACKER_URL}${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const retryAfter = response.headers.get("retry-after");
  return { status: response.status, retryAfter, body: await response.json() };
}

/** Signs up and creates an organization and keys. */
async function createKeys() {
  const owner = { email: "full@example.com", password: "correct horse battery", name: "Full" };
  const bearer = ({ body }) => ({ Authorization: `Bearer ${body.accessToken}` });
  const signedUp = await send("/api/auth/signup", owner);
  const made = await send("/api/organization", { name: "Full", urlKey: "full" }, bearer(signedUp));
  const { token } = (await send("/api/api-keys", { label: "full" }, bearer(made))).body;
  const { key } = (await send("/api/ingest-keys", { name: "full" }, bearer(made))).body;
  return { token, key };
}

const capture = (key, ids) => {
  // Random text does not compress, so an event uses the full length of its text on the disk.
  const events = ids.map((event_id) => ({
    event_id,
    session_id: randomUUID(),
    primitive_name: "fill",
    args: randomBytes(24 * 1024).toString("base64"),
    result: "x",
  }));
  return send("/api/v1/capture-events", { events }, { "x-api-key": key });
};
const newIds = (count) => Array.from({ length: count }, () => randomUUID());

async function fill() {
  const keys = await createKeys();
  writeFileSync(KEYS_FILE, JSON.stringify(keys), { mode: 0o600 });
  const acknowledged = [];
  for (;;) {
    const ids = newIds(BATCH);
    const { status, retryAfter, body } = await capture(keys.key, ids);
    if (status === 202) {
      acknowledged.push(...ids);
      continue;
    }
    assert.equal(status, 503, JSON.stringify(body));
    assert.ok(Number(retryAfter) > 0, "Retry-After");
    console.log(`${acknowledged.length} events were acknowledged, then 503 with Retry-After: ${retryAfter}`);
    break;
  }
  writeFileSync(ACKNOWLEDGED, JSON.stringify(acknowledged));
}

async function recover() {
  const { token, key } = JSON.parse(readFileSync(KEYS_FILE, "utf8"));
  const acknowledged = JSON.parse(readFileSync(ACKNOWLEDGED, "utf8"));
  const began = Date.now();
  for (;;) {
    const { status } = await capture(key, newIds(1)).catch(() => ({ status: 0 }));
    if (status === 202) break;
    assert.ok(Date.now() - began < LONGEST_MS, `still ${status}`);
    await sleep(250);
  }
  console.log(`the first event is taken ${((Date.now() - began) / 1000).toFixed(1)} s after there was room`);
  for (let at = 0; at < acknowledged.length; at += 50) {
    const fields = acknowledged.slice(at, at + 50).map((id, n) => `e${n}: recordedEvent(id: "${id}") { id }`);
    const { body } = await send("/graphql", { query: `{ ${fields.join(" ")} }` }, { Authorization: token });
    assert.ok(!body.errors, JSON.stringify(body.errors));
  }
  console.log(`all ${acknowledged.length} events that were acknowledged are there`);
}

await { fill, recover }[process.argv[2]]();
