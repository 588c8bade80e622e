import type { ClientBase } from "pg";
import type { Statement } from "../../../../db/open.ts";
import { createPipeline } from "../../../../db/pipeline/index.ts";
import { lockOf } from "../../../resources/recorded/retention/lock.ts";

/** From so many rows on, COPY is cheaper than an INSERT. */
export const MANY = 8;

/** Statements that do not need each other's answers: they go to the database together, and it answers once. */
export type Packet = Statement[];

export const COMMIT: Statement = { name: "commit", text: "commit" };

/** Raw SQL, as docs/database.md says why. The lock of retention, which all commits share. */
export const shareLock = (organizationId: string): Statement => ({
  name: "observe-share",
  text: "select pg_advisory_xact_lock_shared($1::bigint)",
  values: [lockOf(organizationId)],
});

/** Sends a packet; answers the rows of each statement. The first that fails fails it, and the rest is skipped. */
export async function sendPacket(client: ClientBase, packet: Packet): Promise<unknown[][]> {
  if (packet.length === 0) return [];
  const answers = await Promise.all(packet.map(createPipeline(client)));
  return answers.map(({ rows }) => rows);
}
