import { knex, toStatement } from "../../db/builder.ts";
import { conflict } from "../errors.ts";
import { label } from "../write/find.ts";
import { entityNamed, type Write } from "../write/write.ts";

/**
 * Makes sure that an organization, which is locked, has fewer rows of an entity than there can be.
 * @throws conflict `limit_reached`
 */
export async function checkRoom(write: Write, name: string, most: number): Promise<void> {
  const { table } = entityNamed(write, name);
  const last = knex(table)
    .where({ organizationId: write.scope.organizationId })
    .limit(1)
    .offset(most - 1);
  const full = await write.trx.query(toStatement(last.select("id"), { reads: [table] }));
  if (full.length > 0)
    throw conflict(`there are ${most} ${label(name)}s, the most there can be; delete one`, "limit_reached");
}
