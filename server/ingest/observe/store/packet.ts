import type { ClientBase } from "pg";
import type { Statement } from "../../../../db/open.ts";
import { createPipeline } from "../../../../db/pipeline/index.ts";
import { organizationLockKey } from "../../../resources/recorded/retention/lock.ts";

/** For at least this many rows, COPY is cheaper than INSERT. */
export const COPY_FROM_ROWS = 8;

/**
 * Statements that do not need each other's results. The client sends all of them together and receives one response.
 */
export type Packet = Statement[];

export const COMMIT: Statement = { name: "commit", text: "commit" };

/** Raw SQL; docs/database.md explains why. The retention lock in shared mode, which all commits hold. */
export const shareLock = (organizationId: string): Statement => ({
  name: "observe-share",
  text: "select pg_advisory_xact_lock_shared($1::bigint)",
  values: [organizationLockKey(organizationId)],
});

/**
 * Sends a packet and returns the rows of each statement. If a statement fails, the packet fails and the remaining
 * statements are skipped.
 */
export async function sendPacket(client: ClientBase, packet: Packet): Promise<unknown[][]> {
  if (packet.length === 0) return [];
  const answers = await Promise.all(packet.map(createPipeline(client)));
  return answers.map(({ rows }) => rows);
}
