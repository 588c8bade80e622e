import { HEALTH, type QueueClass, type Turn } from "../database.ts";
import { Unavailable } from "../errors/unavailable.ts";
import { createUsage, type Usage } from "./usage.ts";

/** A turn that was taken. */
export interface Permit {
  /** Says that the connection was given back; counts once. */
  leave(): void;
  /** Has `stop` called when the turn has to end early, because others wait. */
  stopBy(stop: (reason: Error) => void): void;
}

/** The queue before a fixed number of connections. */
export interface Queue {
  /**
   * Waits until a connection may be taken.
   * @throws Unavailable when the queue is full or after 2 s
   */
  enter(turn: Turn): Promise<Permit>;
  /** The number of waiting callers, of all classes. */
  waiting(): number;
}

interface Waiter extends Turn {
  since: number;
  /** Has it take a connection that is free. */
  proceed(): void;
  refuse(error: Error): void;
}

/** A connection that somebody has. */
interface Held {
  tenant: string;
  isRead: boolean;
  since: number;
  stop?: (reason: Error) => void;
}

interface State {
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

const CLASSES: readonly QueueClass[] = ["short", "read", "upkeep"];
const [MAX_WAITING, MAX_WAIT_MS] = [1_000, 2_000];
const LOOK_MS = 25;
/** After so long in the queue, a read of another tenant is ended that held connections for so much longer lately. */
const [PATIENCE_MS, HEAD_START_MS] = [50, 3_000];
/** The same for the server's own work, and where nobody knows for whom it is: it may be for the tenant itself. */
const OWN_PATIENCE_MS = 500;
/** After so long in the queue, any longer read of another tenant is ended: the next step would be a refusal. */
const REFUSED_SOON_MS = 1_500;
/**
 * So long the last free connection is kept for the next statement of who gave it back, from those who had much more: a
 * request is two or three statements, and would wait behind a long read for each.
 */
const EXPECTED_MS = 5;
/** A read that has not taken so long will soon be over by itself, as most are. */
const SHORT_MS = 100;
const FULL = "The database has too many requests waiting; try again";
const LATE = "The database is busy; try again";
const STOPPED = "What was asked takes long while others wait; ask for less at once, or try again later";

/**
 * One queue of three classes before `connections` connections: short before read before upkeep. Within a class the tenant
 * goes first that had least of the connections lately, and its requests in their order. The reads of a tenant take half of
 * the connections at most while others use some. What the server does for itself, or for many tenants at once, goes as a
 * tenant that has had nothing.
 */
export function createQueue(connections: number): Queue {
  const state: State = {
    connections,
    free: connections,
    held: new Set(),
    waiting: { short: new Set(), read: new Set(), upkeep: new Set() },
    usage: createUsage(),
  };
  return {
    waiting: () => count(state),
    async enter(turn) {
      return state.free > 0 && mayBegin(state, turn, performance.now()) ? take(state, turn) : wait(state, turn);
    },
  };
}

/** True for work of no tenant, or of nobody knows whom. */
const isServers = (tenant: string): boolean => tenant === "" || tenant === HEALTH;

const count = ({ waiting }: State): number => waiting.short.size + waiting.read.size + waiting.upkeep.size;

/** Takes a connection that is free. */
function take(state: State, { tenant = "", queueClass }: Turn): Permit {
  const held: Held = { tenant, isRead: queueClass === "read", since: performance.now() };
  state.held.add(held);
  state.free -= 1;
  return {
    leave() {
      if (!state.held.delete(held)) return;
      state.free += 1;
      if (!isServers(tenant)) noteUse(state, held);
      serve(state);
    },
    stopBy(stop) {
      held.stop = stop;
    },
  };
}

function noteUse(state: State, { tenant, since }: Held): void {
  const now = performance.now();
  state.usage.add(tenant, now - since, now);
  if (state.free > 1 || count(state) === 0) return;
  state.expected = { tenant, until: now + EXPECTED_MS };
  setTimeout(serve, EXPECTED_MS, state);
}

/** Hands free connections to those who wait and may begin. */
function serve(state: State): void {
  const now = performance.now();
  while (state.free > 0) {
    const next = nextOf(state, now);
    if (!next) return;
    next.proceed();
  }
}

/** Tells whether a turn may take a free connection: everyone but the reads of a tenant that has its share, or had more than its share. */
function mayBegin(state: State, { tenant = "", queueClass }: Turn, now: number): boolean {
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
  return usedBy(state, tenant, now) >= usedBy(state, expected.tenant, now) + HEAD_START_MS;
}

/** Milliseconds for which a tenant held connections lately, and holds them now. */
function usedBy({ usage, held }: State, tenant: string, now: number): number {
  if (isServers(tenant)) return 0;
  let sum = usage.of(tenant, now);
  for (const each of held) if (each.tenant === tenant) sum += now - each.since;
  return sum;
}

/** The next of those who may begin. */
function nextOf(state: State, now: number): Waiter | undefined {
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

/** Resolves when a turn is passed on to whoever waits here. */
function wait(state: State, turn: Turn): Promise<Permit> {
  if (count(state) >= MAX_WAITING) makeRoom(state, turn);
  return new Promise((resolve, reject) => {
    const queue = state.waiting[turn.queueClass];
    const waiter: Waiter = {
      ...turn,
      since: performance.now(),
      proceed() {
        queue.delete(waiter);
        resolve(take(state, turn));
      },
      refuse(error) {
        queue.delete(waiter);
        reject(error);
      },
    };
    queue.add(waiter);
    state.timer ??= setInterval(look, LOOK_MS, state);
  });
}

/** Refuses the last of the tenant that has most waiting. @throws Unavailable when that is the one who comes */
function makeRoom(state: State, { tenant: own = "" }: Turn): void {
  const lines = new Map<string, Waiter[]>();
  for (const name of CLASSES)
    for (const waiter of state.waiting[name]) {
      const line = lines.get(waiter.tenant ?? "");
      if (line) line.push(waiter);
      else lines.set(waiter.tenant ?? "", [waiter]);
    }
  const [longest = []] = [...lines.values()].sort((one, other) => other.length - one.length);
  if ((lines.get(own)?.length ?? 0) >= longest.length) throw new Unavailable(FULL);
  longest.at(-1)?.refuse(new Unavailable(FULL));
}

/** Refuses who has waited too long, and ends a turn for who has waited a while. */
function look(state: State): void {
  const now = performance.now();
  for (const name of CLASSES)
    for (const waiter of state.waiting[name])
      if (now - waiter.since >= MAX_WAIT_MS) waiter.refuse(new Unavailable(LATE));
  serve(state);
  const next = nextOf(state, now);
  if (next && next.queueClass !== "upkeep" && now - next.since >= (next.tenant ? PATIENCE_MS : OWN_PATIENCE_MS))
    stopFor(state, next, now);
  if (count(state) > 0) return;
  clearInterval(state.timer);
  state.timer = undefined;
}

/** Ends the longest read of the tenant that had most of the connections, if that is much more than who waits had. */
function stopFor(state: State, { tenant: own = "", since: waited }: Waiter, now: number): void {
  const least = usedBy(state, own, now) + (now - waited < REFUSED_SOON_MS ? HEAD_START_MS : 0);
  const others = [...state.held].filter(
    ({ tenant, stop, since }) => stop && !isServers(tenant) && tenant !== own && now - since >= SHORT_MS,
  );
  const [most] = others
    .map((held) => ({ held, used: usedBy(state, held.tenant, now) }))
    .sort((one, other) => other.used - one.used || one.held.since - other.held.since);
  if (!most || most.used < least) return;
  const { stop, tenant } = most.held;
  // Work of no tenant may be that of this one: alone on the server, a tenant is not ended for itself.
  if (isServers(own) && now - waited < REFUSED_SOON_MS && !state.usage.hasOther(tenant, now)) return;
  delete most.held.stop;
  stop?.(new Unavailable(STOPPED, 2));
}
