import { setTimeout as sleep } from "node:timers/promises";
import { MANY } from "../../../db/wake/touches.ts";
import { dueOrganizations } from "../../accounts/due.ts";
import type { Runtime } from "../../runtime.ts";
import { createDueOrganizations } from "../webhooks/due.ts";
import { DUE, lookAfter } from "./pass.ts";

/** Organizations that one query finds. */
const ORGANIZATIONS = 100;
/** The least time between two looks, so that a burst of wakes costs one; one that took long is followed by a longer pause. */
const SPACING_MS = 250;
const SPACING_TIMES = 3;
/** Sessions of one organization that are kept by name: of more, the next slow look finds them. */
const SESSIONS = 100;

/** Looks after the rules of notices. Any number of processes share the work. */
export function startNotices(runtime: Runtime): { close(): Promise<void> } {
  const { db, log, stopping } = runtime;
  const due = createDueOrganizations();
  const touched = new Map<string, Set<string>>();
  const unsubscribe = db.wake.subscribe(due.add);
  const stopTouches = db.wake.onTouch((organizationId, name) => {
    const names = touched.get(organizationId) ?? new Set();
    touched.set(organizationId, names);
    if (name !== MANY && names.size < SESSIONS) names.add(name);
    due.add(organizationId);
  });
  const look = async (where: readonly string[] | undefined) => {
    const told = [...new Set([...(where ?? []), ...touched.keys()])];
    const found = where ? { ids: [], within: <T>(work: () => Promise<T>) => work() } : await dueIn(db);
    const watched = told.length > 0 ? await watchedOf(db, told) : [];
    for (const id of told) if (!watched.includes(id)) touched.delete(id);
    for (const id of new Set([...found.ids, ...watched])) {
      const sessions = [...(touched.get(id) ?? [])];
      touched.delete(id);
      const tells = await found.within(() => lookAfter(db, id, sessions), false);
      if (tells) db.wake.publish(id);
    }
  };
  const keepLooking = async () => {
    while (!stopping.aborted) {
      const begun = performance.now();
      await db
        .as("upkeep", () => look(due.take()))
        .catch((error) => log.debug({ err: error }, "notice rules not checked; tried again"));
      const spacing = Math.max(SPACING_MS, SPACING_TIMES * (performance.now() - begun));
      await sleep(spacing, undefined, { signal: stopping, ref: false }).catch(() => {});
      if (!stopping.aborted) await due.wait();
    }
  };
  const looking = keepLooking();
  return {
    async close() {
      unsubscribe();
      stopTouches();
      due.end();
      await looking;
    },
  };
}

/** Those of some organizations that have rules. Raw SQL: their ids travel as one list. */
async function watchedOf(db: Runtime["db"], ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>({
    name: "notices-watched",
    text: `select "organizationId" as id from "noticeWatch" where "organizationId" = any($1::uuid[])`,
    values: [ids],
  });
  return rows.map(({ id }) => id);
}

const dueIn = (db: Runtime["db"]) =>
  dueOrganizations(db, { name: "notices-due", text: DUE, values: [new Date(), ORGANIZATIONS] }, ORGANIZATIONS);
