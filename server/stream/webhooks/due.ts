import { createAutoResetSignal } from "../../../concurrency/signal.ts";
import type { Database } from "../../../db/open.ts";
import { findDueOrganizations, type OrganizationBatch } from "../../accounts/due.ts";

/**
 * Interval in ms at which all organizations are checked. The check finds retries that became due, expired claims of
 * dead processes, and organizations whose wake was lost.
 */
const POLL_MS = 1_000;
/**
 * Maximum number of organizations that are collected individually. If more are added, the next check covers all
 * organizations.
 */
const MOST = 8;

/** The organizations in which a delivery may be due. */
export interface DueOrganizationQueue {
  /** Adds an organization in which a delivery may be due now. */
  add(organizationId: string): void;
  /** Makes the next check cover all organizations. */
  addAll(): void;
  /** Removes and returns the collected organizations, for a check now. Undefined means all organizations. */
  take(): string[] | undefined;
  /** Resolves when an organization is added, or when the next check of all organizations is due. */
  wait(): Promise<void>;
  end(): void;
}

/**
 * Collects the organizations to check next. On a database with several nodes, a check of all organizations asks every
 * node. A check of all organizations runs once per second, not after each change.
 */
export function createDueOrganizationQueue(now = () => performance.now()): DueOrganizationQueue {
  const signal = createAutoResetSignal();
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

/** Maximum organizations of one query. */
const ORGANIZATIONS = 100;

/**
 * Organizations with due deliveries, in random order so that no organization
 * is always last. Raw SQL, as that of the claim.
 */
const DUE = `
  select "organizationId" as id from sync s where exists (
    select from delivery d where d."organizationId" = s."organizationId" and d.status = 'pending' and d."nextAttemptAt" <= $1)
   order by random() limit ${ORGANIZATIONS}`;

/**
 * Returns the organization if a delivery is due. The statement reads one table and one organization, so PostgreSQL
 * keeps its plan.
 */
const DUE_IN = `
  select "organizationId" as id from delivery
   where "organizationId" = $1 and status = 'pending' and "nextAttemptAt" <= $2 limit 1`;

/**
 * Returns organizations with due deliveries: only organizations in `some`, or any organizations if `some` is undefined.
 * A query over all organizations asks every node.
 */
export async function findOrganizationsWithDueDeliveries(
  db: Database,
  some: readonly string[] | undefined,
  now: Date,
): Promise<OrganizationBatch> {
  if (!some) return findDueOrganizations(db, { name: "stream-due", text: DUE, values: [now] }, ORGANIZATIONS);
  const ids: string[] = [];
  for (const id of some) {
    const due = await db.query({ name: "stream-due-in", text: DUE_IN, values: [id, now] });
    if (due.length > 0) ids.push(id);
  }
  return { ids, found: true, within: (work) => work() };
}
