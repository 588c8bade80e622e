import { randomUUID } from "node:crypto";
import type { App } from "../../../server/app.ts";
import { setEarlierSql } from "../db/database.ts";
import { createEvent } from "../recording/ingest.ts";
import { callRestApi } from "../server.ts";
import { createAgent } from "../tracker/work.ts";
import type { Workspace } from "../workspace.ts";

/** Runs statements with the organization's id as $1. */
export async function runStatements(
  { runtime }: App,
  { organizationId }: Workspace,
  ...texts: string[]
): Promise<void> {
  for (const text of texts) await runtime.db.query({ text, values: [organizationId] });
}

/** Records events of one session. Resolves to the session's id. */
export async function captureEvents(space: Workspace, ...events: object[]): Promise<string> {
  const session_id = randomUUID();
  const rows = (events.length > 0 ? events : [{}]).map((event) => createEvent({ session_id, ...event }));
  const headers = { "x-api-key": space.ingestKey };
  const { status } = await callRestApi(space.url, "POST", "/api/v1/capture-events", {
    body: { events: rows },
    headers,
  });
  if (status !== 202) throw new Error(`capture-events: ${status}`);
  return session_id;
}

export const countRows = (table: string, where: string, tenant = '"organizationId"'): string =>
  `select count(*)::integer as left from ${table} where ${tenant} = $1 and ${where}`;
export const recorded = (table: string, where = "true"): string => countRows(table, where, "organization_id");

/** Returns statements that move all recorded data of an organization into the past. */
export const ageStatements = (days: number): string[] => [
  `update recorded_event set ${setEarlierSql(["timestamp", "received_at"], `interval '${days} days'`)} where organization_id = $1`,
  `update recorded_session set ${setEarlierSql(["timestamp", "received_at", "last_received_at", "ended_at"], `interval '${days} days'`)}
    where organization_id = $1`,
];

/** Creates an issue and claims the issue as an agent. Returns the issue's id. */
export async function createClaimedIssue(space: Workspace, limits: object = {}): Promise<string> {
  const { id } = await space.issue();
  await (await createAgent(space)).claim({ id, ...limits });
  return id;
}

/** Creates an issue that awaits a session, and records the session. */
export const createAwaitedSession = async (space: Workspace, app: App): Promise<void> => {
  const session = await captureEvents(space);
  const { id } = await space.issue();
  await runStatements(
    app,
    space,
    `insert into "awaitedSession" ("organizationId", "issueId", reference, kind) values ($1, '${id}', '${session}', 'claimed')`,
  );
};

export const AWAITED = countRows('"awaitedSession"', "true");
