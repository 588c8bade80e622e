import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { NO_ID } from "../id.ts";

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
  (await placesOf(db, organizationId))[look] ?? START;

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
