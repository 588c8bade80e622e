import { setTimeout as sleep } from "node:timers/promises";
import { getMonotonicDate } from "../../../concurrency/held-clock.ts";
import { MANY_NAMES } from "../../../db/wake/touches.ts";
import { findDueOrganizations } from "../../accounts/due.ts";
import type { Runtime } from "../../runtime.ts";
import { createDueOrganizationQueue } from "../webhooks/due.ts";
import { checkNoticeRules, DUE_RULE_ORGANIZATIONS_SQL } from "./pass.ts";

/** Maximum organizations of one query. */
const ORGANIZATIONS = 100;
/**
 * Minimum pause between two checks, in ms, so that a burst of wakes costs one check. After a long check the pause is
 * three times as long as the check.
 */
const SPACING_MS = 250;
const SPACING_TIMES = 3;
/**
 * Maximum number of touched sessions that are collected per organization. The next slow check finds further sessions.
 */
const SESSIONS = 100;

/** Watches the notice rules. Any number of processes share the work. */
export function startNoticeRuleWatcher(runtime: Runtime): { close(): Promise<void> } {
  const { db, log, stopping } = runtime;
  const due = createDueOrganizationQueue();
  const touched = new Map<string, Set<string>>();
  const unsubscribe = db.wake.subscribe(due.add);
  const stopTouches = db.wake.onTouch((organizationId, name) => {
    const names = touched.get(organizationId) ?? new Set();
    touched.set(organizationId, names);
    if (name !== MANY_NAMES && names.size < SESSIONS) names.add(name);
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
      const tells = await found.within(() => checkNoticeRules(db, id, sessions), false);
      if (tells) db.wake.publish(id);
    }
  };
  const keepLooking = async () => {
    while (!stopping.aborted) {
      const begun = performance.now();
      await db
        .as("upkeep", () => look(due.take()))
        .catch((error) => log.debug({ err: error }, "the notice rules could not be checked; the server will retry"));
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

/**
 * Returns those of the given organizations whose notice rules must be checked, which have a row in `noticeWatch`. Raw
 * SQL: the ids are sent as one array.
 */
async function watchedOf(db: Runtime["db"], ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>({
    name: "notices-watched",
    text: `select "organizationId" as id from "noticeWatch" where "organizationId" = any($1::uuid[])`,
    values: [ids],
  });
  return rows.map(({ id }) => id);
}

const dueIn = (db: Runtime["db"]) =>
  findDueOrganizations(
    db,
    { name: "notices-due", text: DUE_RULE_ORGANIZATIONS_SQL, values: [getMonotonicDate(), ORGANIZATIONS] },
    ORGANIZATIONS,
  );
