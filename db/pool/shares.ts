import { type ConnectionRequest, HEALTH_TENANT, type QueueClass } from "../database.ts";
import { UnavailableError } from "../errors/unavailable.ts";

/** Half-life in milliseconds of the recorded usage of a tenant. */
const HALF_LIFE_MS = 5_000;
/**
 * Maximum number of tenants whose usage is recorded. The tenant that was active longest ago is forgotten first, and
 * then counts as a new tenant.
 */
const KEPT = 10_000;

/** Usage below `FEW_MS` milliseconds is ignored. */
const FEW_MS = 10;

/** Recent usage of connections by tenant. */
interface Usage {
  /** Adds a usage that ended now. */
  add(tenant: string, milliseconds: number, now: number): void;
  /** Returns the usage of a tenant in milliseconds. Older usage counts less. */
  of(tenant: string, now: number): number;
  /** Returns true if another tenant used connections recently. */
  hasOther(tenant: string, now: number): boolean;
}

/** Creates an empty record of usage. */
export function createTenantUsage(): Usage {
  const used = new Map<string, { milliseconds: number; at: number }>();
  /** Tenants whose usage was relevant (at least `FEW_MS`) at their last release of a connection. */
  const active = new Set<string>();
  const of = (tenant: string, now: number) => {
    const known = used.get(tenant);
    return known ? known.milliseconds * 2 ** ((known.at - now) / HALF_LIFE_MS) : 0;
  };
  return {
    of,
    hasOther(tenant, now) {
      // Removes tenants without relevant usage from the set, so that frequent calls of this function do not visit all
      // recorded tenants.
      for (const other of active) {
        if (of(other, now) < FEW_MS) active.delete(other);
        else if (other !== tenant) return true;
      }
      return false;
    },
    add(tenant, milliseconds, now) {
      const sum = of(tenant, now) + milliseconds;
      // Deleting and re-inserting the tenant keeps the map in order of last use. The first tenant was active longest
      // ago.
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

/** Request for a connection, with the node on which the work runs if the database has several nodes. */
export interface NodeConnectionRequest extends ConnectionRequest {
  node?: number | undefined;
}

/** A caller that waits for a connection. */
export interface Waiter extends NodeConnectionRequest {
  since: number;
  /** Lets the caller take a free connection. */
  proceed(): void;
  refuse(error: Error): void;
}

/** A connection in use. */
export interface HeldConnection {
  tenant: string;
  node?: number | undefined;
  isRead: boolean;
  since: number;
  stop?: (reason: Error) => void;
}

/** State of the queue: the connections, their users, and the waiting callers. */
export interface QueueState {
  connections: number;
  free: number;
  held: Set<HeldConnection>;
  /** Waiting callers by queue class. Each set is in order of arrival. */
  waiting: Record<QueueClass, Set<Waiter>>;
  usage: Usage;
  /** Usage of the nodes, by node number. */
  nodes: Usage;
  timer?: NodeJS.Timeout | undefined;
  /**
   * The tenant that just released the last free connection. The connection is kept for the tenant's next statement
   * until the time `until`.
   */
  expected?: { tenant: string; until: number };
}

/** Classes in the order of service. */
export const QUEUE_CLASSES: readonly QueueClass[] = ["short", "read", "upkeep"];
/**
 * `PATIENCE_MS`: milliseconds that a caller waits in the queue before a read of another tenant is ended.
 * `HEAD_START_MS`: milliseconds by which the recent usage of that other tenant must exceed the usage of the caller's
 * tenant.
 */
const [PATIENCE_MS, HEAD_START_MS] = [50, 3_000];
/**
 * Value of `PATIENCE_MS` for the server's own work and for work of an unknown tenant. The wait is longer, because the
 * unknown tenant may be the tenant of the read.
 */
const OWN_PATIENCE_MS = 500;
/**
 * Milliseconds in the queue after which a caller no longer needs `HEAD_START_MS` to end a read of another tenant,
 * because the caller would otherwise be rejected soon.
 */
const REFUSED_SOON_MS = 1_500;
/**
 * Milliseconds for which the last free connection is kept for the next statement of the tenant that released the
 * connection. Meanwhile, tenants with much higher recent usage must wait. A request has two or three statements, and
 * each statement would otherwise wait for a long read.
 */
export const CONNECTION_RESERVATION_MS = 15;
const MORE_MS = 500;
/** Milliseconds after which a read counts as long. Shorter reads are not ended, because most of them end soon. */
const SHORT_MS = 100;
const STOPPED = "What was asked takes long while others wait; ask for less at once, or try again later";

/**
 * If a caller has waited for some time, ends a read of another tenant: the longest-running read of the tenant with the
 * highest recent usage. That usage must be much higher than the usage of the caller's tenant. Shortly before the caller
 * would be rejected, an equal or higher usage suffices.
 */
export function stopLongReadFor(state: QueueState, { tenant: own = "", since, queueClass }: Waiter, now: number): void {
  const waited = now - since;
  if (queueClass === "upkeep" || waited < (own ? PATIENCE_MS : OWN_PATIENCE_MS)) return;
  const least = computeUsage(state, own, now) + (waited < REFUSED_SOON_MS ? HEAD_START_MS : 0);
  const others = [...state.held].filter(
    ({ tenant, stop, since }) => stop && !isServerWork(tenant) && tenant !== own && now - since >= SHORT_MS,
  );
  const [most] = others
    .map((held) => ({ held, used: computeUsage(state, held.tenant, now) }))
    .sort((one, other) => other.used - one.used || one.held.since - other.held.since);
  if (!most || most.used < least) return;
  const { stop, tenant } = most.held;
  // The tenant of the caller is unknown and may be the tenant of the read. If no other tenant is active on the server,
  // the read is not ended.
  if (isServerWork(own) && waited < REFUSED_SOON_MS && !state.usage.hasOther(tenant, now)) return;
  delete most.held.stop;
  stop?.(new UnavailableError(STOPPED, 2));
}

/**
 * Returns the waiting caller to serve next. Short work goes before reads, and reads go before maintenance. A read goes
 * before the short work of a tenant with much higher recent usage, because a flood of writes would otherwise keep reads
 * waiting forever.
 */
export function findNextWaiter(state: QueueState, now: number): Waiter | undefined {
  const { short, read, upkeep } = state.waiting;
  const [work, reading] = [leastUser(state, short, now), leastUser(state, read, now)];
  if (work && reading && hadMuchMore(state, work, reading.tenant, now)) return reading;
  return work ?? reading ?? leastUser(state, upkeep, now);
}

/**
 * Returns true if the recent usage of one tenant is much higher than the usage of another tenant. Always false for the
 * server's own work.
 */
function hadMuchMore(state: QueueState, { tenant = "" }: ConnectionRequest, other = "", now: number): boolean {
  return (
    !isServerWork(tenant) &&
    tenant !== other &&
    computeUsage(state, tenant, now) >= computeUsage(state, other, now) + MORE_MS
  );
}

/**
 * Returns the first caller of the tenant with the lowest recent usage. Ignores callers that may not use a connection
 * now.
 */
function leastUser(state: QueueState, queue: ReadonlySet<Waiter>, now: number): Waiter | undefined {
  const seen = new Set<string>();
  let least: { waiter: Waiter; used: number } | undefined;
  for (const waiter of queue) {
    const { tenant = "" } = waiter;
    if (seen.has(tenant)) continue;
    seen.add(tenant);
    const used = computeUsage(state, tenant, now);
    if ((!least || used < least.used) && canTakeConnection(state, waiter, now)) least = { waiter, used };
  }
  return least?.waiter;
}

/**
 * Returns true if a request may take a free connection. Three kinds of requests must wait: work on a node that already
 * has its full share, reads of a tenant that already has its full share, and work that another tenant's next statement
 * should precede.
 */
export function canTakeConnection(state: QueueState, turn: NodeConnectionRequest, now: number): boolean {
  const { tenant = "", queueClass } = turn;
  if (isNodeFull(state, turn.node, now)) return false;
  if (isServerWork(tenant) || queueClass === "upkeep") return true;
  return !(isInTheWay(state, turn, now) || (queueClass === "read" && hasShare(state, tenant, now)));
}

/**
 * Returns true if one node uses half of the connections and other nodes are in use too. The limit is necessary, because
 * a node that does not respond might never release its connections.
 */
function isNodeFull({ connections, held, nodes }: QueueState, node: number | undefined, now: number): boolean {
  if (node === undefined || connections === 1) return false;
  let count = 0;
  for (const each of held) if (each.node === node) count += 1;
  return count >= Math.floor(connections / 2) && nodes.hasOther(String(node), now);
}

function hasShare({ connections, held, usage }: QueueState, tenant: string, now: number): boolean {
  let reads = 0;
  for (const each of held) if (each.isRead && each.tenant === tenant) reads += 1;
  return reads > 0 && reads >= Math.floor(connections / 2) && usage.hasOther(tenant, now);
}

/** Returns true if the last free connection is kept for another tenant whose recent usage is much lower. */
function isInTheWay(state: QueueState, turn: ConnectionRequest, now: number): boolean {
  const { expected, free } = state;
  if (!expected || free > 1 || now >= expected.until) return false;
  return hadMuchMore(state, turn, expected.tenant, now);
}

/**
 * Returns the usage of a tenant in milliseconds: the recorded recent usage, and the time for which the tenant has held
 * its current connections.
 */
function computeUsage({ usage, held }: QueueState, tenant: string, now: number): number {
  if (isServerWork(tenant)) return 0;
  let sum = usage.of(tenant, now);
  for (const each of held) if (each.tenant === tenant) sum += now - each.since;
  return sum;
}

/** Returns true for work of the server itself, and for work of an unknown tenant. */
export const isServerWork = (tenant: string): boolean => tenant === "" || tenant === HEALTH_TENANT;
