import { knex, toStatement } from "../../db/builder.ts";
import { affectsAllParts } from "../../db/errors/parts.ts";
import { UnavailableError } from "../../db/errors/unavailable.ts";
import type { Database, Statement } from "../../db/open.ts";

/**
 * Returns deleted organizations that may still have rows. Jobs over all organizations skip the deleted organizations.
 */
export async function listDeletedOrganizations(db: Database): Promise<ReadonlySet<string>> {
  const deleted = knex("organization").whereNotNull("deletedAt").select("id");
  return new Set((await db.query<{ id: string }>(toStatement(deleted))).map(({ id }) => id));
}

/**
 * Runs work in an organization. Returns the result of the work. Returns 0 instead of throwing the error if the work
 * failed and the organization is deleted.
 */
export async function runUnlessDeleted(
  db: Database,
  organizationId: string,
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (affectsAllParts(error)) throw error;
    const kept = knex("organization").where({ id: organizationId, deletedAt: null }).select("id");
    const isGone = (await db.query(toStatement(kept))).length === 0;
    if (isGone) return 0;
    throw error;
  }
}

/** Batch of organizations that a job processes one after another. */
export interface OrganizationBatch {
  ids: string[];
  /**
   * True if the query found the organizations in `ids`, up to the query's limit. False if the organizations were chosen
   * at random.
   */
  found: boolean;
  /**
   * Id of the last organization if the query returned a full page, because more organizations may follow. The
   * organization may be deleted. Otherwise undefined.
   */
  last?: string | undefined;
  /**
   * Runs the work in an organization. If the organization's node is unavailable, returns `otherwise`, and the work
   * waits for another run.
   */
  within<T>(work: () => Promise<T>, otherwise: T): Promise<T>;
}

/**
 * Finds organizations with work to do, with one query over all organizations. While a database node is unavailable,
 * the query would fail or wait; the result is then a random selection of organizations.
 */
export async function findDueOrganizations(db: Database, look: Statement, most: number): Promise<OrganizationBatch> {
  if (hasUnavailableNode(db)) return pickRandomOrganizations(db, most);
  try {
    const found = await db.query<{ id: string }>(look);
    const deleted = found.length > 0 ? await listDeletedOrganizations(db) : undefined;
    const ids = found.map(({ id }) => id);
    const last = found.length === most ? ids.at(-1) : undefined;
    return { ids: ids.filter((id) => !deleted?.has(id)), found: true, last, within: (work) => work() };
  } catch (error) {
    if (!(error instanceof UnavailableError && hasUnavailableNode(db))) throw error;
    return pickRandomOrganizations(db, most);
  }
}

/**
 * Returns organizations on the available nodes in random order, so that each organization gets its turn. Organizations
 * on unavailable nodes are not returned, but may still have work to do.
 */
export async function pickRandomOrganizations(db: Database, most: number): Promise<OrganizationBatch> {
  const any = knex("organization").whereNull("deletedAt").orderByRaw("random()").limit(most).select("id");
  const found = await db.query<{ id: string }>(toStatement(any));
  const away = new Set<number | undefined>(db.nodes()?.unavailable);
  return {
    ids: found.map(({ id }) => id).filter((id) => !away.has(db.nodeOf(id))),
    found: false,
    within: (work, otherwise) =>
      work().catch((error) => {
        if (error instanceof UnavailableError) return otherwise;
        throw error;
      }),
  };
}

/** Returns true if any node of the database is unavailable. */
export const hasUnavailableNode = (db: Database): boolean => (db.nodes()?.unavailable.length ?? 0) > 0;
