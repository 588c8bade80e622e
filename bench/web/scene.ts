import { randomUUID } from "node:crypto";
import type { App } from "../../server/app.ts";
import { createOrganization, startServer, type Tenant } from "../../test/support/server.ts";
import { generateSession, sendEvents } from "./sessions.ts";

/** The number of events of the long session. */
export const EVENTS = 30_000;
export const SESSIONS = 10_000;
/** Maximum bytes of an event's arguments, and of the result. */
export const TEXT_BYTES = 1_048_576;

export interface Scene {
  app: App;
  /** The organization with the long session, and with a session whose call has large arguments and a large result. */
  tenant: Tenant;
  longSession: string;
  large: { sessionId: string; eventId: string };
  /** The organization with ten thousand sessions. */
  crowd: Tenant;
}

/** Starts a server, and records a long session, many short sessions, and a call with large content. */
export async function makeScene(): Promise<Scene> {
  const app = await startServer();
  const [tenant, crowd] = [await createOrganization(app), await createOrganization(app)];
  const begin = Date.now() - 86_400_000;
  const events = generateSession({ seed: "large", events: EVENTS, begin, failEvery: 997 });
  await sendEvents(tenant.url, tenant.ingestKey, events);
  const large = { sessionId: randomUUID(), eventId: randomUUID() };
  const common = { session_id: large.sessionId, primitive_name: "Bash", primitive_type: "tool", latency: 900 };
  const text = linesOf(TEXT_BYTES);
  await sendEvents(tenant.url, tenant.ingestKey, [
    { ...common, event_id: large.eventId, args: text, result: text, success: true },
  ]);
  await sendEvents(crowd.url, crowd.ingestKey, shortSessions());
  return { app, tenant, longSession: String(events[0]?.session_id), large, crowd };
}

/** Text like the output of a build. */
function linesOf(bytes: number): string {
  let text = "";
  for (let n = 0; text.length < bytes; n += 1) text += `[${n}] cc -O2 -c src/part-${n % 97}.c -o out/part-${n}.o\n`;
  return text.slice(0, bytes);
}

/** Sessions of one turn and three calls. One of fifteen sessions has a failure. */
const shortSessions = (): object[] =>
  Array.from({ length: SESSIONS }, (_, n) =>
    generateSession({
      seed: `short ${n}`,
      events: 4,
      begin: Date.now() - 86_400_000 + n * 8_000,
      failEvery: n % 15 === 0 ? 3 : 0,
    }),
  ).flat();
