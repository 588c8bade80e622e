// Records a session with a turn and a failed tool call of the turn. Prints the session's id.
import { randomUUID } from "node:crypto";

const { TRACKER_INGEST_KEY = "" } = process.env;
const TRACKER_URL = process.env.TRACKER_URL || "http://127.0.0.1:4000";
const session_id = randomUUID();
const turn = randomUUID();
const now = Date.now();

await send("/api/v1/capture-session", {
  session_id,
  user_data: { user_id: "ada", plan: "pro" },
  metadata: { branch: "main" },
});
await send("/api/v1/capture-events", {
  events: [
    {
      event_id: turn,
      session_id,
      primitive_name: "build-agent",
      args: "Build the release.",
      result: "The build failed.",
      timestamp: now - 5_000,
      latency: 5_000,
    },
    {
      event_id: randomUUID(),
      session_id,
      parent_id: turn,
      primitive_name: "shell",
      primitive_type: "tool",
      args: JSON.stringify({ command: "npm run build" }),
      result: "Error: Cannot find module './parser'",
      success: false,
      timestamp: now - 4_000,
      latency: 1_200,
    },
  ],
});
console.log(session_id);

/** Sends a body until the server has stored it. Repeats are safe, because the server stores an event id once. */
async function send(path, body) {
  for (let pause = 500; ; pause *= 2) {
    const response = await fetch(TRACKER_URL + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "x-api-key": TRACKER_INGEST_KEY },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    }).catch(() => undefined);
    const answer = await response?.json();
    if (response?.ok && !answer.rejected) return;
    // A retry helps if there is no response or the server asks for a retry. Any other response reports a fault in the
    // body.
    const again = !response || response.status === 429 || response.status === 503;
    if (!again || pause > 8_000) throw new Error(JSON.stringify(answer) ?? "no answer");
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
