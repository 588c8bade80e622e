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
  proceed(): void;
  refuse(error: Error): void;
}

/** A connection that somebody has. */
interface Held {
  tenant: string;
  since: number;
  stop?: (reason: Error) => void;
}

interface State {
  free: number;
  held: Set<Held>;
  /** By class, in the order in which they are served. */
  waiting: Record<QueueClass, Set<Waiter>>;
  usage: Usage;
  timer?: NodeJS.Timeout | undefined;
}

const CLASSES: readonly QueueClass[] = ["short", "read", "upkeep"];
const [MAX_WAITING, MAX_WAIT_MS] = [1_000, 2_000];
const LOOK_MS = 25;
/** After so long in the queue, a read of another tenant is ended that held connections for so much longer lately. */
const [PATIENCE_MS, HEAD_START_MS] = [50, 3_000];
/** The same where nobody knows for whom the work is: it may be for the tenant itself. */
const UNKNOWN_PATIENCE_MS = 500;
/** After so long in the queue, any longer read of another tenant is ended: the next step would be a refusal. */
const REFUSED_SOON_MS = 1_500;
/** A read that has not taken so long will soon be over by itself, as most are. */
const SHORT_MS = 100;
const FULL = "The database has too many requests waiting; try again";
const LATE = "The database is busy; try again";
const STOPPED = "What was asked takes long while others wait; ask for less at once, or try again later";

/**
 * One queue of three classes before `connections` connections: short before read before upkeep. Within a class the tenant
 * goes first that had least of the connections lately, and its requests in their order. What the server does for itself,
 * or for many tenants at once, goes as a tenant that has had nothing.
 */
export function createQueue(connections: number): Queue {
  const state: State = {
    free: connections,
    held: new Set(),
    waiting: { short: new Set(), read: new Set(), upkeep: new Set() },
    usage: createUsage(),
  };
  return {
    waiting: () => count(state),
    async enter(turn) {
      if (state.free > 0) state.free -= 1;
      else await wait(state, turn);
      return permit(state, turn);
    },
  };
}

/** True for work of no tenant, or of nobody knows whom. */
const isServers = (tenant: string): boolean => tenant === "" || tenant === HEALTH;

const count = ({ waiting }: State): number => waiting.short.size + waiting.read.size + waiting.upkeep.size;

function permit(state: State, { tenant = "" }: Turn): Permit {
  const held: Held = { tenant, since: performance.now() };
  state.held.add(held);
  return {
    leave() {
      if (!state.held.delete(held)) return;
      const now = performance.now();
      if (!isServers(tenant)) state.usage.add(tenant, now - held.since, now);
      // A turn passes straight to who is next; only without one does a connection become free.
      const next = nextOf(state, now);
      if (next) next.proceed();
      else state.free += 1;
    },
    stopBy(stop) {
      held.stop = stop;
    },
  };
}

/** Milliseconds for which a tenant held connections lately, and holds them now. */
function usedBy({ usage, held }: State, tenant: string, now: number): number {
  if (isServers(tenant)) return 0;
  let sum = usage.of(tenant, now);
  for (const each of held) if (each.tenant === tenant) sum += now - each.since;
  return sum;
}

function nextOf(state: State, now: number): Waiter | undefined {
  const queue = CLASSES.map((name) => state.waiting[name]).find(({ size }) => size > 0);
  return queue && leastUser(state, queue, now);
}

/** The first of the tenant that had least. */
function leastUser(state: State, queue: ReadonlySet<Waiter>, now: number): Waiter | undefined {
  const used = new Map<string, number>();
  let least: Waiter | undefined;
  for (const waiter of queue) {
    const { tenant = "" } = waiter;
    if (used.has(tenant)) continue;
    used.set(tenant, usedBy(state, tenant, now));
    if (!least || (used.get(tenant) ?? 0) < (used.get(least.tenant ?? "") ?? 0)) least = waiter;
  }
  return least;
}

/** Resolves when a turn is passed on to whoever waits here. */
function wait(state: State, turn: Turn): Promise<void> {
  if (count(state) >= MAX_WAITING) makeRoom(state, turn);
  return new Promise((resolve, reject) => {
    const queue = state.waiting[turn.queueClass];
    const waiter: Waiter = {
      ...turn,
      since: performance.now(),
      proceed() {
        queue.delete(waiter);
        resolve();
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
  const next = nextOf(state, now);
  if (next && next.queueClass !== "upkeep" && now - next.since >= (next.tenant ? PATIENCE_MS : UNKNOWN_PATIENCE_MS))
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
