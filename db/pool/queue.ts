import type { Turn } from "../database.ts";
import { Unavailable } from "../errors/unavailable.ts";
import {
  CLASSES,
  createUsage,
  EXPECTED_MS,
  endReadFor,
  type Held,
  isServers,
  mayBegin,
  nextOf,
  type State,
  type Waiter,
} from "./shares.ts";

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

const [MAX_WAITING, MAX_WAIT_MS] = [1_000, 2_000];
const LOOK_MS = 25;
const FULL = "The database has too many requests waiting; try again";
const LATE = "The database is busy; try again";
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
  if (next) endReadFor(state, next, now);
  if (count(state) > 0) return;
  clearInterval(state.timer);
  state.timer = undefined;
}
