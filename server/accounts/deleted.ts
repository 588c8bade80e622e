import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";

/** Deleted organizations with possible rest rows. Jobs over all organizations leave them out. */
export async function deletedOrganizations(db: Database): Promise<ReadonlySet<string>> {
  const deleted = knex("organization").whereNotNull("deletedAt").select("id");
  return new Set((await db.query<{ id: string }>(toStatement(deleted))).map(({ id }) => id));
}
