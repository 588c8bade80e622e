import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { DAY_MS } from "../../formats/time.ts";

/** The time for which a program without a connection is remembered. */
const KEPT_MS = 400 * DAY_MS;
const SLICE = 1_000;

/**
 * Removes programs that were used long ago and that no organization is connected to. Statements of their own: programs
 * are known on every node, and connections lie where their organizations do. Safe on any number of processes.
 */
export async function removeLeftClients(db: Database, now: number): Promise<number> {
  const before = new Date(now - KEPT_MS);
  let removed = 0;
  for (let after: string | undefined = ""; after !== undefined; ) {
    const page = knex("oauthClient").where("usedAt", "<", before).where("id", ">", after).orderBy("id").limit(SLICE);
    const found: { id: string }[] = await db.query(toStatement(page.select("id")));
    after = found.length < SLICE ? undefined : found.at(-1)?.id;
    removed += await removeUnconnected(
      db,
      found.map(({ id }) => id),
      before,
    );
  }
  return removed;
}

async function removeUnconnected(db: Database, ids: string[], before: Date): Promise<number> {
  const isAny = (column: string, values: string[]) => knex.raw("?? = any(?::text[])", [column, values]);
  const connected: { id: string }[] = await db.query(
    toStatement(knex("oauthGrant").where(isAny("clientId", ids)).distinct("clientId as id")),
  );
  const used = new Set(connected.map(({ id }) => id));
  const left = ids.filter((id) => !used.has(id));
  // One that was used meanwhile stays.
  const removal = knex("oauthClient").where(isAny("id", left)).where("usedAt", "<", before).delete("id");
  return left.length === 0 ? 0 : (await db.query(toStatement(removal))).length;
}
