import type { ClientBase } from "pg";
import type { Statement } from "../../../../db/open.ts";
import { createPipeline } from "../../../../db/pipeline/index.ts";
import { organizationLockKey } from "../../../resources/recorded/retention/lock.ts";

/** For at least this many rows, COPY is cheaper than INSERT. */
export const MIN_ROWS_FOR_COPY = 8;

/**
 * Statements that do not need each other's results. The client therefore sends all of them together and receives one
 * response.
 */
export type StatementPacket = Statement[];

export const COMMIT_STATEMENT: Statement = { name: "commit", text: "commit" };

/**
 * Raw SQL; docs/database.md explains why. Takes the organization's retention lock in shared mode. Every commit of
 * observations and events holds this lock.
 */
export const sharedRetentionLockStatement = (organizationId: string): Statement => ({
  name: "observe-share",
  text: "select pg_advisory_xact_lock_shared($1::bigint)",
  values: [organizationLockKey(organizationId)],
});

/**
 * Sends a packet and returns the rows of each statement. If a statement fails, the packet fails and the remaining
 * statements are skipped.
 */
export async function sendPacket(client: ClientBase, packet: StatementPacket): Promise<unknown[][]> {
  if (packet.length === 0) return [];
  const answers = await Promise.all(packet.map(createPipeline(client)));
  return answers.map(({ rows }) => rows);
}
