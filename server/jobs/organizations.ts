import { knex, toStatement } from "../../db/builder.ts";
import { type JobPart, PartsFailedError, runEachPart } from "../../db/errors/parts.ts";
import { UnavailableError } from "../../db/errors/unavailable.ts";
import type { Database } from "../../db/open.ts";
import { getOwnProperty } from "../../formats/own.ts";
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
  /** SQL condition that selects the rows. Must be exactly the condition of the index that contains the rows. */
  only?: string;
  /** Column after the organization in that index. Set if PostgreSQL could otherwise choose another index. */
  followedBy?: string;
}

type Work = (organizationId: string) => Promise<number>;

/** Maximum organizations per pass while a database node is unavailable. */
const ANY = 200;

/**
 * Runs work for each organization that has rows in a table and is not deleted, one after the other. If the work fails
 * for one organization, the function still runs the work for the other organizations. Resolves with the sum of the
 * results. The work must be safe to repeat: if a database node becomes unavailable, the function processes some
 * organizations on the other nodes, possibly a second time. @throws PartsFailedError at the end
 */
export async function eachOrganization(db: Database, rows: Rows, work: Work): Promise<number> {
  const inOne = (id: string) => db.beside(id, () => runUnlessDeleted(db, id, () => work(id)));
  try {
    if (!hasUnavailableNode(db)) return await runEachPart(organizationsWith(db, rows), toOrganizationPart, inOne);
  } catch (error) {
    if (error instanceof PartsFailedError || !(error instanceof UnavailableError && hasUnavailableNode(db)))
      throw error;
  }
  const { ids, within } = await pickRandomOrganizations(db, ANY);
  return runEachPart(ids, toOrganizationPart, (id) => within(() => inOne(id), 0));
}

/** Returns a description for the log of the part of a job that works on one organization. */
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

/**
 * Position at which a walk through rows ended, such as sessions or events: usually the start time of the last row as
 * SQL text, and the id of that row.
 */
export interface ScanPosition {
  at: string;
  id: string;
}

/** Position before every session. */
export const SCAN_START: ScanPosition = { at: "-infinity", id: NO_ID };

const rows = (organization_id: string) => knex("recorded_rollup as r").where({ organization_id });

/** Returns the positions at which walks through an organization ended, by name. */
export async function readScanPositions(db: Database, organizationId: string): Promise<Record<string, ScanPosition>> {
  const [row]: { positions: Record<string, ScanPosition> }[] = await db.query(
    toStatement(rows(organizationId).select("positions")),
  );
  return row?.positions ?? {};
}

/** Returns the position at which the named walk through an organization ended. */
export const readScanPosition = async (db: Database, organizationId: string, look: string): Promise<ScanPosition> =>
  getOwnProperty(await readScanPositions(db, organizationId), look) ?? SCAN_START;

/**
 * Stores the position of a walk, so that any process can continue. Removes the stored position if the walk starts over.
 */
export async function storeScanPosition(
  db: Database,
  organizationId: string,
  look: string,
  { at, id }: ScanPosition,
): Promise<void> {
  const isStart = id === SCAN_START.id;
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
