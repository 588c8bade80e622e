import { model } from "../resources/index.ts";
import { purgeIssue } from "../resources/issue/purge.ts";
import { purgeProject } from "../resources/project/write.ts";
import type { Runtime } from "../runtime.ts";
import type { Scope } from "../scope.ts";
import { find, load } from "../write/find.ts";
import { mutate } from "../write/mutate.ts";
import type { Write } from "../write/write.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** How long something stays in the trash (decisions §3). */
const TRASH_MS = 30 * DAY_MS;
/** Rows that one transaction removes: it holds the organization's writers back. */
const SLICE = 10;
/** Idempotency keys that one statement forgets. */
const KEYS = 1_000;
/** Jobs act for nobody; the changes they make say so. */
const NOBODY = "00000000-0000-0000-0000-000000000000";

const PURGES = { Issue: purgeIssue, Project: purgeProject };

interface Due {
  organizationId: string;
  ids: string[];
}

/**
 * Removes for good what has been in the trash for 30 days, and forgets idempotency keys after one. In slices, and safe
 * on any number of processes: each row is looked at again under the organization's lock. Returns how many it removed.
 */
export async function emptyTrash(runtime: Runtime, now = Date.now()): Promise<number> {
  let removed = 0;
  for (const entity of ["Issue", "Project"] as const) {
    const before = new Date(now - TRASH_MS).toISOString();
    for (let slice = await due(runtime, entity, before); slice.length > 0; ) {
      const purged = await Promise.all(slice.map((each) => purge(runtime, entity, each, before)));
      const sum = purged.reduce((total, each) => total + each, 0);
      removed += sum;
      slice = sum > 0 ? await due(runtime, entity, before) : [];
    }
  }
  await forgetKeys(runtime, now);
  return removed;
}

/** What is due in up to ten organizations, ten rows each. */
const due = ({ db }: Runtime, entity: keyof typeof PURGES, before: string): Promise<Due[]> =>
  db.query({
    text: `select "organizationId", (array_agg(id order by id))[1:${SLICE}] as ids from "${entity.toLowerCase()}"
      where trashed and "archivedAt" < $1 group by "organizationId" order by 1 limit ${SLICE}`,
    values: [before],
  });

async function purge(runtime: Runtime, entity: keyof typeof PURGES, { organizationId, ids }: Due, before: string) {
  let purged = 0;
  const work = async (write: Write) => {
    purged = 0;
    await load(
      write,
      ids.map((id) => [entity, id] as const),
    );
    for (const id of ids) {
      const row = await find(write, entity, id);
      if (!row?.trashed || String(row.archivedAt) >= before) continue;
      await PURGES[entity](write, row, "silent");
      purged += 1;
    }
    return {};
  };
  try {
    await mutate(systemScope(runtime, organizationId), model, work);
    return purged;
  } catch (error) {
    runtime.log.warn({ err: error, organizationId }, "trash not emptied; tried again in an hour");
    return 0;
  }
}

const systemScope = ({ db, publicUrl, secret }: Runtime, organizationId: string): Scope => ({
  db,
  organizationId,
  userId: NOBODY,
  role: "member",
  publicUrl,
  secret,
  system: true,
});

async function forgetKeys({ db }: Runtime, now: number): Promise<void> {
  for (let slice = KEYS; slice === KEYS; ) {
    const rows = await db.query({
      text: `delete from idempotency where ("organizationId", "userId", key, field) in (
          select "organizationId", "userId", key, field from idempotency where "createdAt" < $1 limit ${KEYS}
          for update skip locked) returning 1`,
      values: [new Date(now - DAY_MS)],
    });
    slice = rows.length;
  }
}
