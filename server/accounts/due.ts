import { knex, toStatement } from "../../db/builder.ts";
import { affectsAll } from "../../db/errors/parts.ts";
import { Unavailable } from "../../db/errors/unavailable.ts";
import type { Database, Statement } from "../../db/open.ts";

/** Deleted organizations with possible rest rows. Jobs over all organizations leave them out. */
export async function deletedOrganizations(db: Database): Promise<ReadonlySet<string>> {
  const deleted = knex("organization").whereNotNull("deletedAt").select("id");
  return new Set((await db.query<{ id: string }>(toStatement(deleted))).map(({ id }) => id));
}

/**
 * Does work in an organization. Resolves with the work's result, or with 0 when the work failed in an organization that was
 * deleted meanwhile, or of which only rows were left.
 */
export async function unlessGone(db: Database, organizationId: string, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (affectsAll(error)) throw error;
    const kept = knex("organization").where({ id: organizationId, deletedAt: null }).select("id");
    const isGone = (await db.query(toStatement(kept))).length === 0;
    if (isGone) return 0;
    throw error;
  }
}

/** Organizations to work in one after the other. */
export interface Due {
  ids: string[];
  /** True when the query found these organizations, up to its limit; false when they are any organizations. */
  found: boolean;
  /** The last organization that the query found, a deleted one too, when there may be more behind it. */
  last?: string | undefined;
  /** Does the work in one. For an organization on a node that is away the answer is `otherwise`, and its work waits. */
  within<T>(work: () => Promise<T>, otherwise: T): Promise<T>;
}

/**
 * Organizations in which there is something to do, by one query over all of them. The query fails while a node of the
 * database is away: any organizations are answered then.
 */
export async function dueOrganizations(db: Database, look: Statement, most: number): Promise<Due> {
  try {
    const found = await db.query<{ id: string }>(look);
    const deleted = found.length > 0 ? await deletedOrganizations(db) : undefined;
    const ids = found.map(({ id }) => id);
    const last = found.length === most ? ids.at(-1) : undefined;
    return { ids: ids.filter((id) => !deleted?.has(id)), found: true, last, within: (work) => work() };
  } catch (error) {
    return anyOrganizations(db, most, error);
  }
}

/**
 * Any organizations, in another order each time, so that those on the nodes that are left get their turn. `failure` is why
 * the query over all of them failed. @throws it where no node of the database is away
 */
export async function anyOrganizations(db: Database, most: number, failure: unknown): Promise<Due> {
  if (!(failure instanceof Unavailable && (await isPartlyAway(db)))) throw failure;
  const any = knex("organization").whereNull("deletedAt").orderByRaw("random()").limit(most).select("id");
  const found = await db.query<{ id: string }>(toStatement(any));
  return {
    ids: found.map(({ id }) => id),
    found: false,
    within: (work, otherwise) =>
      work().catch((error) => {
        if (error instanceof Unavailable) return otherwise;
        throw error;
      }),
  };
}

async function isPartlyAway(db: Database): Promise<boolean> {
  const nodes = await db.nodes();
  return nodes !== undefined && nodes.unavailable.length > 0;
}
