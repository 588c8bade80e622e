import { createSignal } from "../../../concurrency/signal.ts";
import type { Database } from "../../../db/open.ts";
import { type Due, dueOrganizations } from "../../accounts/due.ts";

/**
 * The interval at which all organizations are checked: retries come due, claims of dead processes run out, wakes get
 * lost.
 */
const POLL_MS = 1_000;
/** The most organizations that are kept by name. Beyond, the next check is of all. */
const MOST = 8;

/** The organizations in which something may be due. */
export interface DueOrganizations {
  /** Adds one in which something may be due now. */
  add(organizationId: string): void;
  /** Has the next check cover all organizations, whenever it comes. */
  addAll(): void;
  /** Takes the organizations to check now; undefined for all of them. */
  take(): string[] | undefined;
  /** Resolves when there are some to check. */
  wait(): Promise<void>;
  /** Ends the waiting. */
  end(): void;
}

/**
 * Gathers the organizations to check next. A check of all asks every node of a database that lies on several: it comes
 * once a second, and not with each change of one of them.
 */
export function createDueOrganizations(now = () => performance.now()): DueOrganizations {
  const signal = createSignal();
  let added = new Set<string>();
  let everywhere = true;
  let looked = now();
  const left = () => Math.max(0, looked + POLL_MS - now());
  return {
    add(organizationId) {
      if (added.size < MOST) added.add(organizationId);
      else everywhere = true;
      signal.set();
    },
    addAll() {
      everywhere = true;
    },
    take() {
      const some = [...added];
      added = new Set();
      if (!everywhere && left() > 0) return some;
      everywhere = false;
      looked = now();
      return undefined;
    },
    wait: () => signal.wait(left()),
    end: signal.set,
  };
}

/** The most organizations that one query finds. */
const ORGANIZATIONS = 100;

/** Organizations with something due, in another order each time, so that none is always last. Raw SQL, as that of the claim. */
const DUE = `
  select "organizationId" as id from sync s where exists (
    select from delivery d where d."organizationId" = s."organizationId" and d.status = 'pending' and d."nextAttemptAt" <= $1)
   order by random() limit ${ORGANIZATIONS}`;

/** One organization, if something is due in it: a statement of one table and one organization, whose plan is kept. */
const DUE_IN = `
  select "organizationId" as id from delivery
   where "organizationId" = $1 and status = 'pending' and "nextAttemptAt" <= $2 limit 1`;

/** Finds organizations in which something is due, among some or all. A query over all of them asks every node. */
export async function findDue(db: Database, some: readonly string[] | undefined, now: Date): Promise<Due> {
  if (!some) return dueOrganizations(db, { name: "stream-due", text: DUE, values: [now] }, ORGANIZATIONS);
  const ids: string[] = [];
  for (const id of some) {
    const due = await db.query({ name: "stream-due-in", text: DUE_IN, values: [id, now] });
    if (due.length > 0) ids.push(id);
  }
  return { ids, found: true, within: (work) => work() };
}
