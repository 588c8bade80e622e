import { type knex, toStatement } from "../../../db/builder.ts";
import type { Database, Transaction } from "../../../db/open.ts";
import { NO_ID } from "../../id.ts";

interface Slices {
  find(after: string): ReturnType<typeof knex>;
  work(trx: Transaction, ids: string[]): Promise<void>;
}

/** Finds sessions behind those that were seen, and works on them in a transaction each time, until there are no more. Answers how many there were. */
export async function inSlices(db: Database, { find, work }: Slices): Promise<number> {
  let seen = 0;
  for (let after: string | undefined = NO_ID; after; ) {
    const found: { id: string }[] = await db.query(toStatement(find(after)));
    const ids = found.map(({ id }) => id);
    if (ids.length > 0) await db.transaction((trx) => work(trx, ids));
    seen += ids.length;
    after = ids.at(-1);
  }
  return seen;
}

/** Locks sessions of which a condition holds, unless another process has them; connectors wait meanwhile. */
export async function lock(trx: Transaction, organizationId: string, ids: string[], only = "true"): Promise<string[]> {
  const rows = await trx.query<{ id: string }>({
    text: `select session_id as id from recorded_session
      where organization_id = $1 and session_id = any($2::uuid[]) and ${only}
      order by session_id for update skip locked`,
    values: [organizationId, ids],
  });
  return rows.map(({ id }) => id);
}
