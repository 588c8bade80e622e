import { knex, toStatement } from "../../db/builder.ts";
import { Attempts, sumSteps, sumTogether } from "../../db/errors/parts.ts";
import type { Database } from "../../db/open.ts";
import { DAY_MS } from "../../formats/time.ts";
import { deletedOrganizations, unlessGone } from "../accounts/due.ts";
import { type Entity, storedEntities } from "../read/entity.ts";
import { model } from "../resources/index.ts";
import type { Runtime } from "../runtime.ts";
import { systemScope } from "../scope.ts";
import { purge } from "../write/deletion/remove-for-good.ts";
import { find } from "../write/find.ts";
import { load } from "../write/load.ts";
import { mutate } from "../write/mutate.ts";
import type { Found } from "../write/rows.ts";
import type { Write } from "../write/write.ts";
import { eachOrganization } from "./organizations.ts";

/** The time that rows stay in the trash. */
const TRASH_MS = 30 * DAY_MS;
/** Rows that one transaction removes, and organizations that one query finds: the lock holds other writers back. */
const SLICE = 10;
/** Rows of an organization that one pass fails to remove before it leaves that organization to the next pass. */
const MOST_FAILED = 20;

/** Rows of an organization that are due. */
interface Due {
  organizationId: string;
  ids: string[];
}

/** A pass over the trash of one entity. */
interface Pass {
  runtime: Runtime;
  name: string;
  /** Rows that went to the trash before this moment are removed for good. */
  before: string;
  /** Rows that could not go, by organization: they are left for the next pass. */
  failed: Map<string, string[]>;
  /** Organizations that are left out: deleted ones, and those of which too many rows could not go. */
  left: Set<string>;
}

/**
 * Removes for good what has been in the trash for 30 days, of every entity that has one, and forgets idempotency keys
 * after one day. In slices, and safe on any number of processes: each row is looked at again under the organization's
 * lock. A row that cannot go holds no other up. Resolves with the number of rows that it removed.
 */
export async function emptyTrash(runtime: Runtime, now = Date.now()): Promise<number> {
  const before = new Date(now - TRASH_MS).toISOString();
  const deleted = await deletedOrganizations(runtime.db);
  const trashes = storedEntities(model).filter(({ columns, archiveIsTrash }) => columns.trashed || archiveIsTrash);
  return sumSteps(
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
  const attempts = new Attempts();
  let removed = 0;
  for (let slice = await due(pass); slice.length > 0; slice = await due(pass)) {
    for (const { organizationId, ids } of slice)
      removed += await attempts.run({ organizationId, type: pass.name }, () =>
        unlessGone(pass.runtime.db, organizationId, () => purgeRows(pass, organizationId, ids)),
      );
  }
  attempts.end();
  return removed;
}

/** Due rows in up to ten organizations, ten of each; every pass in another order, so that none is always first. */
const due = ({ runtime: { db }, name, before, failed, left }: Pass): Promise<Due[]> =>
  db.query(
    toStatement(
      knex(model.get(name)?.table ?? "")
        .where((rows) => (model.get(name)?.archiveIsTrash ? rows : rows.where("trashed", true)))
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

/** Removes rows of an organization together; when that fails, each fails alone. */
const purgeRows = (pass: Pass, organizationId: string, ids: readonly string[]): Promise<number> =>
  sumTogether(
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
  const work = async (write: Write) => {
    removed = 0;
    await load(
      write,
      ids.map((id) => [name, id] as const),
    );
    for (const id of ids) {
      const row = await find(write, name, id);
      if (!row || !isDue(model.get(name), row, before)) continue;
      if (await purge(write, name, row)) removed += 1;
    }
    return {};
  };
  await mutate(systemScope(runtime, organizationId), model, work);
  return removed;
}

/** True when a row is still in the trash, and was before the moment. */
const isDue = (entity: Entity | undefined, { trashed, archivedAt }: Found, before: string): boolean =>
  Boolean(entity?.archiveIsTrash || trashed) && Boolean(archivedAt) && String(archivedAt) < before;

/** Keys that one statement forgets. */
const FORGOTTEN = 1_000;
const KEY = ["userId", "key", "field"];

/** Forgets idempotency keys after one day, in slices. Safe on any number of processes. */
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
