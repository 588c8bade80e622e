import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { deletedOrganizations } from "../accounts/deleted.ts";
import { anyOrganizations } from "../accounts/due.ts";
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

type Work = (organizationId: string) => Promise<number>;

/** Organizations that one pass works in while a node of the database is away. */
const ANY = 200;

/**
 * Does something for every organization that a table has rows of and that is not deleted, one after the other; answers the
 * sum. Safe to be done twice: while a node of the database is away, some of those on the others have their turn.
 */
export async function eachOrganization(db: Database, rows: Rows, work: Work): Promise<number> {
  try {
    return await eachFound(db, rows, work);
  } catch (error) {
    const { ids, within } = await anyOrganizations(db, ANY, error);
    let seen = 0;
    for (const id of ids) seen += await within(() => work(id), 0);
    return seen;
  }
}

async function eachFound(
  db: Database,
  { table, tenant = "organization_id", only = "true", followedBy = tenant }: Rows,
  work: Work,
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
