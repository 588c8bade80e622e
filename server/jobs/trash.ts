import { knex, toStatement } from "../../db/builder.ts";
import { PartRunner, runBatchBisectingFailures, runSteps } from "../../db/errors/parts.ts";
import type { Database } from "../../db/open.ts";
import { DAY_MS } from "../../formats/time.ts";
import { listDeletedOrganizations, runUnlessDeleted } from "../accounts/due.ts";
import { type Entity, storedEntities } from "../read/entity.ts";
import { entityModel } from "../resources/index.ts";
import type { Runtime } from "../runtime.ts";
import { createSystemScope } from "../scope.ts";
import { purgeRow } from "../write/deletion/remove-for-good.ts";
import { findRow } from "../write/find.ts";
import { loadRows } from "../write/load.ts";
import { runMutationTransaction } from "../write/mutate.ts";
import type { LoadedRow } from "../write/rows.ts";
import type { WriteContext } from "../write/write.ts";
import { eachOrganization } from "./organizations.ts";

/** Time for which rows stay in the trash. */
const TRASH_MS = 30 * DAY_MS;
/** Rows per transaction and organizations per query. The transaction's lock blocks other writers. */
const SLICE = 10;
/** Maximum failed rows of an organization per pass. The rest of the organization is then left to the next pass. */
const MOST_FAILED = 20;

/** Rows of one organization that must be purged now. */
interface Due {
  organizationId: string;
  ids: string[];
}

/** Pass over the trash of one entity. */
interface Pass {
  runtime: Runtime;
  name: string;
  /** Rows that were moved to the trash before this time are purged. */
  before: string;
  /** Rows that could not be purged, by organization. The next pass tries to purge the failed rows again. */
  failed: Map<string, string[]>;
  /** Skipped organizations: deleted organizations, and those with too many failed rows. */
  left: Set<string>;
}

/**
 * Purges rows of all entities that have been in the trash for 30 days, and removes idempotency keys after one day.
 * Works in slices, and is safe in any number of concurrent processes, because each row is checked again under the
 * organization's lock. A row that cannot be purged does not block others. Resolves with the number of purged rows.
 */
export async function emptyTrash(runtime: Runtime, now = Date.now()): Promise<number> {
  const before = new Date(now - TRASH_MS).toISOString();
  const deleted = await listDeletedOrganizations(runtime.db);
  const trashes = storedEntities(entityModel).filter(
    ({ columns, archiveIsTrash }) => columns.trashed || archiveIsTrash,
  );
  return runSteps(
    ...trashes.map(
      ({ name }) =>
        () =>
          emptyTrashOf({ runtime, name, before, failed: new Map(), left: new Set(deleted) }),
    ),
    async () => {
      await forgetKeys(runtime.db, now);
      return 0;
    },
  );
}

async function emptyTrashOf(pass: Pass): Promise<number> {
  const attempts = new PartRunner();
  let removed = 0;
  for (let slice = await due(pass); slice.length > 0; slice = await due(pass)) {
    for (const { organizationId, ids } of slice)
      removed += await attempts.run({ organizationId, type: pass.name }, () =>
        runUnlessDeleted(pass.runtime.db, organizationId, () => purgeRows(pass, organizationId, ids)),
      );
  }
  attempts.end();
  return removed;
}

/**
 * Returns rows that must be purged: up to ten rows in each of up to ten organizations. Each pass uses a different
 * order, so that no row is always first.
 */
const due = ({ runtime: { db }, name, before, failed, left }: Pass): Promise<Due[]> =>
  db.query(
    toStatement(
      knex(entityModel.get(name)?.table ?? "")
        .where((rows) => (entityModel.get(name)?.archiveIsTrash ? rows : rows.where("trashed", true)))
        .where("archivedAt", "<", before)
        .whereRaw("id <> all(?::uuid[])", [[...failed.values()].flat()])
        .whereRaw('"organizationId" <> all(?::uuid[])', [[...left]])
        .groupBy("organizationId")
        .orderBy("organizationId")
        .limit(SLICE)
        .select("organizationId", {
          ids: knex.raw(`(array_agg(id order by md5(id::text || ?)))[1:${SLICE}]`, [before]),
        }),
    ),
  );

/** Purges rows of an organization together. If that fails, purges each row separately. */
const purgeRows = (pass: Pass, organizationId: string, ids: readonly string[]): Promise<number> =>
  runBatchBisectingFailures(
    ids,
    (id) => ({ id }),
    async (some) => {
      try {
        return await purgeTogether(pass, organizationId, some);
      } catch (error) {
        if (some.length === 1) leaveOut(pass, organizationId, some);
        throw error;
      }
    },
  );

function leaveOut({ failed, left }: Pass, organizationId: string, ids: readonly string[]): void {
  const all = [...(failed.get(organizationId) ?? []), ...ids];
  failed.set(organizationId, all);
  if (all.length < MOST_FAILED) return;
  failed.delete(organizationId);
  left.add(organizationId);
}

async function purgeTogether({ runtime, name, before }: Pass, organizationId: string, ids: readonly string[]) {
  let removed = 0;
  const work = async (write: WriteContext) => {
    removed = 0;
    await loadRows(
      write,
      ids.map((id) => [name, id] as const),
    );
    for (const id of ids) {
      const row = await findRow(write, name, id);
      if (!row || !isDue(entityModel.get(name), row, before)) continue;
      if (await purgeRow(write, name, row)) removed += 1;
    }
    return {};
  };
  await runMutationTransaction(createSystemScope(runtime, organizationId), entityModel, work);
  return removed;
}

/** Returns true if a row is still in the trash, and was there before the given time. */
const isDue = (entity: Entity | undefined, { trashed, archivedAt }: LoadedRow, before: string): boolean =>
  Boolean(entity?.archiveIsTrash || trashed) && Boolean(archivedAt) && String(archivedAt) < before;

/** Maximum keys that one statement removes. */
const FORGOTTEN = 1_000;
const KEY = ["userId", "key", "field"];

/** Removes idempotency keys after one day, in slices. Safe in any number of concurrent processes. */
const forgetKeys = (db: Database, now: number): Promise<number> =>
  eachOrganization(db, { table: "idempotency", tenant: "organizationId" }, (id) => forgetKeysOf(db, id, now));

async function forgetKeysOf(db: Database, organizationId: string, now: number): Promise<number> {
  let forgotten = 0;
  for (let slice = FORGOTTEN; slice === FORGOTTEN; forgotten += slice) {
    const keys = knex("idempotency").where({ organizationId });
    const old = keys
      .clone()
      .where("createdAt", "<", new Date(now - DAY_MS))
      .select(KEY)
      .limit(FORGOTTEN);
    const rows = await db.query(toStatement(keys.whereIn(KEY, old.forUpdate().skipLocked()).delete("key")));
    slice = rows.length;
  }
  return forgotten;
}
