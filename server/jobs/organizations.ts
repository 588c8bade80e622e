import { knex, toStatement } from "../../db/builder.ts";
import { type Part, PartsFailed, sumEach } from "../../db/errors/parts.ts";
import type { Database } from "../../db/open.ts";
import { readOwn } from "../../formats/own.ts";
import { anyOrganizations, deletedOrganizations, unlessGone } from "../accounts/due.ts";
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
 * Does something for every organization that a table has rows of and that is not deleted, one after the other. When one
 * fails, the others still have their turn. Resolves with the sum. Safe to be done twice: while a node of the database is
 * away, some organizations on the other nodes have their turn. @throws PartsFailed at the end
 */
export async function eachOrganization(db: Database, rows: Rows, work: Work): Promise<number> {
  try {
    return await sumEach(organizationsWith(db, rows), partOf, (id) => unlessGone(db, id, () => work(id)));
  } catch (error) {
    if (error instanceof PartsFailed) throw error;
    const { ids, within } = await anyOrganizations(db, ANY, error);
    return sumEach(ids, partOf, (id) => within(() => unlessGone(db, id, () => work(id)), 0));
  }
}

/** The part of a job that is an organization's. */
export const partOf = (organizationId: string): Part => ({ organizationId });

async function* organizationsWith(
  db: Database,
  { table, tenant = "organization_id", only = "true", followedBy = tenant }: Rows,
): AsyncGenerator<string> {
  const deleted = await deletedOrganizations(db);
  for (let id: string | undefined = NO_ID; id; ) {
    const following = knex(table).whereRaw(only).where(tenant, ">", id).orderBy([tenant, followedBy]).limit(1);
    const [next]: { id: string }[] = await db.query(toStatement(following.select({ id: tenant })));
    id = next?.id;
    if (id && !deleted.has(id)) yield id;
  }
}

/** The place where a walk through sessions ended: the start of that session, as SQL spells it, and its id. */
export interface Place {
  at: string;
  id: string;
}

/** Before every session. */
export const START: Place = { at: "-infinity", id: NO_ID };

const rows = (organization_id: string) => knex("recorded_rollup as r").where({ organization_id });

/** The places where the last looks at an organization ended, by their names. */
export async function placesOf(db: Database, organizationId: string): Promise<Record<string, Place>> {
  const [row]: { positions: Record<string, Place> }[] = await db.query(
    toStatement(rows(organizationId).select("positions")),
  );
  return row?.positions ?? {};
}

/** The place where the last walk of some name through an organization ended. */
export const placeOf = async (db: Database, organizationId: string, look: string): Promise<Place> =>
  readOwn(await placesOf(db, organizationId), look) ?? START;

/** Remembers the place where a walk ended, for any process that continues. A walk that begins anew has no place. */
export async function keepPlace(db: Database, organizationId: string, look: string, { at, id }: Place): Promise<void> {
  const isStart = id === START.id;
  const known = rows(organizationId).whereRaw("positions->? is not null", [look]);
  if (isStart) {
    await db.query(toStatement(known.update({ positions: knex.raw("positions - ?::text", [look]) })));
    return;
  }
  const positions = JSON.stringify({ [look]: { at, id } });
  const row = { organization_id: organizationId, positions };
  const merged = { positions: knex.raw("r.positions || excluded.positions") };
  await db.query(toStatement(knex("recorded_rollup as r").insert(row).onConflict("organization_id").merge(merged)));
}
