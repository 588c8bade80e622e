import { randomUUID } from "node:crypto";
import type { App } from "../../../server/app.ts";
import { anEvent } from "../recording/ingest.ts";
import { call } from "../server.ts";
import { freshAgent } from "../tracker/work.ts";
import type { Workspace } from "../workspace.ts";

/** Runs statements for an organization, $1. */
export async function send({ runtime }: App, { organizationId }: Workspace, ...texts: string[]): Promise<void> {
  for (const text of texts) await runtime.db.query({ text, values: [organizationId] });
}

/** Captures events of one session. Resolves to the session's id. */
export async function capture(space: Workspace, ...events: object[]): Promise<string> {
  const session_id = randomUUID();
  const rows = (events.length > 0 ? events : [{}]).map((event) => anEvent({ session_id, ...event }));
  const headers = { "x-api-key": space.ingestKey };
  const { status } = await call(space.url, "POST", "/api/v1/capture-events", { body: { events: rows }, headers });
  if (status !== 202) throw new Error(`capture-events: ${status}`);
  return session_id;
}

export const count = (table: string, where: string, tenant = '"organizationId"'): string =>
  `select count(*)::integer as left from ${table} where ${tenant} = $1 and ${where}`;
export const recorded = (table: string, where = "true"): string => count(table, where, "organization_id");

/** Moves all that is recorded of an organization into the past. */
export const age = (days: number): string[] => [
  `update recorded_event set timestamp = timestamp - interval '${days} days', received_at = received_at - interval '${days} days' where organization_id = $1`,
  `update recorded_session set timestamp = timestamp - interval '${days} days', received_at = received_at - interval '${days} days',
    last_received_at = last_received_at - interval '${days} days', ended_at = ended_at - interval '${days} days' where organization_id = $1`,
];

/** An issue that an agent holds. */
export async function claim(space: Workspace, limits: object = {}): Promise<string> {
  const { id } = await space.issue();
  await (await freshAgent(space)).claim({ id, ...limits });
  return id;
}

/** An issue that awaits a session, which is recorded just then. */
export const awaitSession = async (space: Workspace, app: App): Promise<void> => {
  const session = await capture(space);
  const { id } = await space.issue();
  await send(
    app,
    space,
    `insert into "awaitedSession" ("organizationId", "issueId", reference, kind) values ($1, '${id}', '${session}', 'claimed')`,
  );
};

export const AWAITED = count('"awaitedSession"', "true");
