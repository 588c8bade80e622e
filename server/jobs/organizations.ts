import { knex, toStatement } from "../../db/builder.ts";
import { type JobPart, PartsFailed, runEachPart } from "../../db/errors/parts.ts";
import { Unavailable } from "../../db/errors/unavailable.ts";
import type { Database } from "../../db/open.ts";
import { readOwn } from "../../formats/own.ts";
import {
  hasUnavailableNode,
  listDeletedOrganizations,
  pickRandomOrganizations,
  runUnlessDeleted,
} from "../accounts/due.ts";
import { NO_ID } from "../id.ts";

/** Rows whose organizations are searched. */
interface Rows {
  table: string;
  tenant?: string;
  /** SQL condition for the rows, exactly as in the index that contains them. */
  only?: string;
  /** Column after the organization in that index. Set if PostgreSQL could otherwise choose another index. */
  followedBy?: string;
}

type Work = (organizationId: string) => Promise<number>;

/** Maximum organizations per pass while a database node is unavailable. */
const ANY = 200;

/**
 * Runs work for each organization that has rows in a table and is not deleted, one after the other. If one fails, the
 * others still run. Resolves with the sum of the results. The work must be safe to repeat: while a database node is
 * unavailable, some organizations on the other nodes are processed. @throws PartsFailed at the end
 */
export async function eachOrganization(db: Database, rows: Rows, work: Work): Promise<number> {
  const inOne = (id: string) => db.beside(id, () => runUnlessDeleted(db, id, () => work(id)));
  try {
    if (!hasUnavailableNode(db)) return await runEachPart(organizationsWith(db, rows), toOrganizationPart, inOne);
  } catch (error) {
    if (error instanceof PartsFailed || !(error instanceof Unavailable && hasUnavailableNode(db))) throw error;
  }
  const { ids, within } = await pickRandomOrganizations(db, ANY);
  return runEachPart(ids, toOrganizationPart, (id) => within(() => inOne(id), 0));
}

/** Part of a job that belongs to an organization. */
export const toOrganizationPart = (organizationId: string): JobPart => ({ organizationId });

async function* organizationsWith(
  db: Database,
  { table, tenant = "organization_id", only = "true", followedBy = tenant }: Rows,
): AsyncGenerator<string> {
  const deleted = await listDeletedOrganizations(db);
  for (let id: string | undefined = NO_ID; id; ) {
    const following = knex(table).whereRaw(only).where(tenant, ">", id).orderBy([tenant, followedBy]).limit(1);
    const [next]: { id: string }[] = await db.query(toStatement(following.select({ id: tenant })));
    id = next?.id;
    if (id && !deleted.has(id)) yield id;
  }
}

/** Position at which a walk through sessions ended: the start of that session as SQL text, and its id. */
export interface WalkPosition {
  at: string;
  id: string;
}

/** Position before every session. */
export const START: WalkPosition = { at: "-infinity", id: NO_ID };

const rows = (organization_id: string) => knex("recorded_rollup as r").where({ organization_id });

/** Returns the positions at which walks through an organization ended, by name. */
export async function readPositions(db: Database, organizationId: string): Promise<Record<string, WalkPosition>> {
  const [row]: { positions: Record<string, WalkPosition> }[] = await db.query(
    toStatement(rows(organizationId).select("positions")),
  );
  return row?.positions ?? {};
}

/** Returns the position at which the named walk through an organization ended. */
export const readPosition = async (db: Database, organizationId: string, look: string): Promise<WalkPosition> =>
  readOwn(await readPositions(db, organizationId), look) ?? START;

/** Stores the position of a walk, so that any process can continue. A walk that starts over has no position. */
export async function storePosition(
  db: Database,
  organizationId: string,
  look: string,
  { at, id }: WalkPosition,
): Promise<void> {
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
