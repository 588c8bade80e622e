import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { deletedOrganizations } from "../accounts/deleted.ts";
import { NO_ID } from "../id.ts";

/** Rows whose organizations are looked for. */
interface Rows {
  table: string;
  tenant?: string;
  /** SQL of which rows count, in the words of the index that has them. */
  only?: string;
  /** The column after the organization in that index, where another could be taken for it. */
  followedBy?: string;
}

/** Does something for every organization that a table has rows of and that is not deleted, one after the other; answers the sum. */
export async function eachOrganization(
  db: Database,
  { table, tenant = "organization_id", only = "true", followedBy = tenant }: Rows,
  work: (organizationId: string) => Promise<number>,
): Promise<number> {
  let seen = 0;
  const deleted = await deletedOrganizations(db);
  for (let id: string | undefined = NO_ID; id; ) {
    const following = knex(table).whereRaw(only).where(tenant, ">", id).orderBy([tenant, followedBy]).limit(1);
    const [next]: { id: string }[] = await db.query(toStatement(following.select({ id: tenant })));
    id = next?.id;
    if (id && !deleted.has(id)) seen += await work(id);
  }
  return seen;
}
