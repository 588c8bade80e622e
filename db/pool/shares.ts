import { HEALTH, type QueueClass, type Turn } from "../database.ts";
import { Unavailable } from "../errors/unavailable.ts";

/** Time after which the milliseconds that a tenant held count half. */
const HALF_LIFE_MS = 5_000;
/** Tenants that are kept: those that used a connection last. A tenant that is forgotten counts as new. */
const KEPT = 10_000;

/** Less than this counts for nothing. */
const FEW_MS = 10;

/** For how long each tenant lately held connections. */
interface Usage {
  /** Adds what a tenant held until now. */
  add(tenant: string, milliseconds: number, now: number): void;
  /** Milliseconds that it held, the older the less. */
  of(tenant: string, now: number): number;
  /** Tells whether any other tenant held connections lately. */
  hasOther(tenant: string, now: number): boolean;
}

/** Usage of tenants, of nobody yet. */
export function createUsage(): Usage {
  const used = new Map<string, { milliseconds: number; at: number }>();
  /** Tenants that counted when they last gave a connection back. */
  const active = new Set<string>();
  const of = (tenant: string, now: number) => {
    const known = used.get(tenant);
    return known ? known.milliseconds * 2 ** ((known.at - now) / HALF_LIFE_MS) : 0;
  };
  return {
    of,
    hasOther(tenant, now) {
      // A tenant that counts no more is met once: who asks before each statement never walks over all that are kept.
      for (const other of active) {
        if (of(other, now) < FEW_MS) active.delete(other);
        else if (other !== tenant) return true;
      }
      return false;
    },
    add(tenant, milliseconds, now) {
      const sum = of(tenant, now) + milliseconds;
      // Put last: the first of the map is the one that used a connection longest ago.
      used.delete(tenant);
      used.set(tenant, { milliseconds: sum, at: now });
      if (sum >= FEW_MS) active.add(tenant);
      if (used.size <= KEPT) return;
      const [oldest = ""] = used.keys();
      used.delete(oldest);
      active.delete(oldest);
    },
  };
}

/** A caller who waits for a connection. */
export interface Waiter extends Turn {
  since: number;
  /** Has it take a connection that is free. */
  proceed(): void;
  refuse(error: Error): void;
}

/** A connection that somebody has. */
export interface Held {
  tenant: string;
  isRead: boolean;
  since: number;
  stop?: (reason: Error) => void;
}

/** The connections, who has them, and who waits. */
export interface State {
  connections: number;
  free: number;
  held: Set<Held>;
  /** By class, in the order in which they are served. */
  waiting: Record<QueueClass, Set<Waiter>>;
  usage: Usage;
  timer?: NodeJS.Timeout | undefined;
  /** The tenant whose next statement is expected, since it gave the last free connection back just now. */
  expected?: { tenant: string; until: number };
}

/** The classes in the order in which they are served. */
export const CLASSES: readonly QueueClass[] = ["short", "read", "upkeep"];
/** After so long in the queue, a read of another tenant is ended that held connections for so much longer lately. */
const [PATIENCE_MS, HEAD_START_MS] = [50, 3_000];
/** The same for the server's own work, and where nobody knows for whom it is: it may be for the tenant itself. */
const OWN_PATIENCE_MS = 500;
/** After so long in the queue, any longer read of another tenant is ended: the next step would be a refusal. */
const REFUSED_SOON_MS = 1_500;
/**
 * So long the last free connection is kept for the next statement of who gave it back, from those who had so much more
 * lately: a request is two or three statements, and would wait behind a long read for each.
 */
export const EXPECTED_MS = 15;
const MORE_MS = 500;
/** A read that has not taken so long will soon be over by itself, as most are. */
const SHORT_MS = 100;
const STOPPED = "What was asked takes long while others wait; ask for less at once, or try again later";

/**
 * Ends a read for who has waited for a while: the longest of the tenant that had most of the connections, if that is much
 * more than who waits had.
 */
export function endReadFor(state: State, { tenant: own = "", since, queueClass }: Waiter, now: number): void {
  const waited = now - since;
  if (queueClass === "upkeep" || waited < (own ? PATIENCE_MS : OWN_PATIENCE_MS)) return;
  const least = usedBy(state, own, now) + (waited < REFUSED_SOON_MS ? HEAD_START_MS : 0);
  const others = [...state.held].filter(
    ({ tenant, stop, since }) => stop && !isServers(tenant) && tenant !== own && now - since >= SHORT_MS,
  );
  const [most] = others
    .map((held) => ({ held, used: usedBy(state, held.tenant, now) }))
    .sort((one, other) => other.used - one.used || one.held.since - other.held.since);
  if (!most || most.used < least) return;
  const { stop, tenant } = most.held;
  // Work of no tenant may be that of this one: alone on the server, a tenant is not ended for itself.
  if (isServers(own) && waited < REFUSED_SOON_MS && !state.usage.hasOther(tenant, now)) return;
  delete most.held.stop;
  stop?.(new Unavailable(STOPPED, 2));
}

/** The next of those who may begin. */
export function nextOf(state: State, now: number): Waiter | undefined {
  for (const name of CLASSES) {
    const next = leastUser(state, state.waiting[name], now);
    if (next) return next;
  }
  return undefined;
}

/** The first of the tenant that had least, of those who may begin. */
function leastUser(state: State, queue: ReadonlySet<Waiter>, now: number): Waiter | undefined {
  const seen = new Set<string>();
  let least: { waiter: Waiter; used: number } | undefined;
  for (const waiter of queue) {
    const { tenant = "" } = waiter;
    if (seen.has(tenant)) continue;
    seen.add(tenant);
    const used = usedBy(state, tenant, now);
    if ((!least || used < least.used) && mayBegin(state, waiter, now)) least = { waiter, used };
  }
  return least?.waiter;
}

/** Tells whether a turn may take a free connection: everyone but the reads of a tenant that has its share, or had more than its share. */
export function mayBegin(state: State, { tenant = "", queueClass }: Turn, now: number): boolean {
  return (
    queueClass !== "read" || isServers(tenant) || !(hasShare(state, tenant, now) || isInTheWay(state, tenant, now))
  );
}

function hasShare({ connections, held, usage }: State, tenant: string, now: number): boolean {
  let reads = 0;
  for (const each of held) if (each.isRead && each.tenant === tenant) reads += 1;
  return reads > 0 && reads >= Math.floor(connections / 2) && usage.hasOther(tenant, now);
}

/** Tells whether the last connection is kept for another tenant, which had much less. */
function isInTheWay(state: State, tenant: string, now: number): boolean {
  const { expected, free } = state;
  if (!expected || free > 1 || now >= expected.until || expected.tenant === tenant) return false;
  return usedBy(state, tenant, now) >= usedBy(state, expected.tenant, now) + MORE_MS;
}

/** Milliseconds for which a tenant held connections lately, and holds them now. */
function usedBy({ usage, held }: State, tenant: string, now: number): number {
  if (isServers(tenant)) return 0;
  let sum = usage.of(tenant, now);
  for (const each of held) if (each.tenant === tenant) sum += now - each.since;
  return sum;
}

/** True for work of no tenant, or of nobody knows whom. */
export const isServers = (tenant: string): boolean => tenant === "" || tenant === HEALTH;
