import { randomUUID } from "node:crypto";
import type { App } from "../../server/app.ts";
import { freshOrganization, startServer, type Tenant } from "../../test/support/server.ts";
import { generateSession, sendEvents } from "./sessions.ts";

/** The number of events of the session that is shown. */
export const EVENTS = 30_000;
export const SESSIONS = 10_000;
/** The most that an event takes as its arguments, and again as its result. */
export const TEXT_BYTES = 1_048_576;

/** A server with enough of everything. */
export interface Scene {
  app: App;
  /** Whose organization has the long session, and a session with a call that has two large texts. */
  tenant: Tenant;
  longSession: string;
  large: { sessionId: string; eventId: string };
  /** Whose organization has ten thousand sessions. */
  crowd: Tenant;
}

/** Starts a server, and records a long session, many short ones, and a call with large texts. */
export async function makeScene(): Promise<Scene> {
  const app = await startServer();
  const [tenant, crowd] = [await freshOrganization(app), await freshOrganization(app)];
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

/** Output as a build writes it. */
function linesOf(bytes: number): string {
  let text = "";
  for (let n = 0; text.length < bytes; n += 1) text += `[${n}] cc -O2 -c src/part-${n % 97}.c -o out/part-${n}.o\n`;
  return text.slice(0, bytes);
}

/** A turn and three calls each; of fifteen sessions one has a failure. */
const shortSessions = (): object[] =>
  Array.from({ length: SESSIONS }, (_, n) =>
    generateSession({
      seed: `short ${n}`,
      events: 4,
      begin: Date.now() - 86_400_000 + n * 8_000,
      failEvery: n % 15 === 0 ? 3 : 0,
    }),
  ).flat();
