import type { ConnectionRequest } from "../database.ts";
import { UnavailableError } from "../errors/unavailable.ts";
import {
  CONNECTION_RESERVATION_MS,
  canTakeConnection,
  createTenantUsage,
  findNextWaiter,
  type HeldConnection,
  isServerWork,
  type NodeConnectionRequest,
  QUEUE_CLASSES,
  type QueueState,
  stopLongReadFor,
  type Waiter,
} from "./shares.ts";

/** Permission to use a connection. */
export interface ConnectionPermit {
  /** Reports that the connection was released. Only the first call counts. */
  leave(): void;
  /** Registers a function that is called when the work must end early because other callers wait. */
  stopBy(stop: (reason: Error) => void): void;
}

/** Queue for a fixed number of connections. */
export interface ConnectionQueue {
  /**
   * Waits until a connection is free for the caller.
   * @param node node of the work, for a database on several nodes
   * @throws UnavailableError if the queue is full, or after a wait of 2 s
   */
  enter(turn: ConnectionRequest, node?: number): Promise<ConnectionPermit>;
  /** Returns the number of waiting callers in all classes. */
  waiting(): number;
}

const [MAX_WAITING, MAX_WAIT_MS] = [1_000, 2_000];
const LOOK_MS = 25;
const FULL = "The database has too many requests waiting; try again";
const LATE = "The database is busy; try again";
/**
 * Creates a queue for a fixed number of connections, with three classes: short work, reads, maintenance (`upkeep`). A
 * read goes before the short work of a tenant whose recent usage is much higher (`findNextWaiter`). Within a class, the
 * tenant with the lowest recent usage goes first, and the requests of a tenant keep their order. The reads of one
 * tenant, and the work on one database node, get at most half of the connections while other tenants or nodes use some,
 * so that a node that does not respond never blocks more than half. Work of the server itself, or for several tenants,
 * counts as work of a tenant without usage.
 */
export function createConnectionQueue(connections: number): ConnectionQueue {
  const state: QueueState = {
    connections,
    free: connections,
    held: new Set(),
    waiting: { short: new Set(), read: new Set(), upkeep: new Set() },
    usage: createTenantUsage(),
    nodes: createTenantUsage(),
  };
  return {
    waiting: () => count(state),
    async enter(by, node) {
      const turn = { ...by, node };
      return state.free > 0 && canTakeConnection(state, turn, performance.now())
        ? take(state, turn)
        : wait(state, turn);
    },
  };
}

const count = ({ waiting }: QueueState): number => waiting.short.size + waiting.read.size + waiting.upkeep.size;

/** Takes a free connection. */
function take(state: QueueState, { tenant = "", node, queueClass }: NodeConnectionRequest): ConnectionPermit {
  const held: HeldConnection = { tenant, node, isRead: queueClass === "read", since: performance.now() };
  state.held.add(held);
  state.free -= 1;
  return {
    leave() {
      if (!state.held.delete(held)) return;
      state.free += 1;
      if (node !== undefined) state.nodes.add(String(node), performance.now() - held.since, performance.now());
      if (!isServerWork(tenant)) noteUse(state, held);
      serve(state);
    },
    stopBy(stop) {
      held.stop = stop;
    },
  };
}

function noteUse(state: QueueState, { tenant, since }: HeldConnection): void {
  const now = performance.now();
  state.usage.add(tenant, now - since, now);
  if (state.free > 1 || count(state) === 0) return;
  state.expected = { tenant, until: now + CONNECTION_RESERVATION_MS };
  setTimeout(serve, CONNECTION_RESERVATION_MS, state);
}

/** Gives free connections to waiting callers that may use them. */
function serve(state: QueueState): void {
  const now = performance.now();
  while (state.free > 0) {
    const next = findNextWaiter(state, now);
    if (!next) return;
    next.proceed();
  }
}

/** Waits until the queue gives the caller a connection. */
function wait(state: QueueState, turn: NodeConnectionRequest): Promise<ConnectionPermit> {
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

/**
 * Makes room in a full queue: rejects the last waiting caller of the tenant with the most waiting callers. @throws
 * UnavailableError if no tenant has more waiting callers than the new caller's tenant
 */
function makeRoom(state: QueueState, { tenant: own = "" }: ConnectionRequest): void {
  const lines = new Map<string, Waiter[]>();
  for (const name of QUEUE_CLASSES)
    for (const waiter of state.waiting[name]) {
      const line = lines.get(waiter.tenant ?? "");
      if (line) line.push(waiter);
      else lines.set(waiter.tenant ?? "", [waiter]);
    }
  const [longest = []] = [...lines.values()].sort((one, other) => other.length - one.length);
  if ((lines.get(own)?.length ?? 0) >= longest.length) throw new UnavailableError(FULL);
  longest.at(-1)?.refuse(new UnavailableError(FULL));
}

/**
 * Runs regularly while callers wait. Rejects callers that have waited too long. If the next caller has already waited
 * for some time, ends a long read (`stopLongReadFor`).
 */
function look(state: QueueState): void {
  const now = performance.now();
  for (const name of QUEUE_CLASSES)
    for (const waiter of state.waiting[name])
      if (now - waiter.since >= MAX_WAIT_MS) waiter.refuse(new UnavailableError(LATE));
  serve(state);
  const next = findNextWaiter(state, now);
  if (next) stopLongReadFor(state, next, now);
  if (count(state) > 0) return;
  clearInterval(state.timer);
  state.timer = undefined;
}
