import { AsyncLocalStorage } from "node:async_hooks";
import type { ConnectionRequest, QueueClass } from "../database.ts";

interface Context extends ConnectionRequest {
  /** Set within `transaction` and `connection`. `over` is true for work that continues after their end. */
  holding?: { over: boolean };
}

/** Turn of the running code, and whether it holds a connection. Follows promises. */
const context = new AsyncLocalStorage<Context>();

const SHORT: ConnectionRequest = { queueClass: "short" };

/** Returns the turn that `Database.as` set. */
export const getConnectionRequest = (): ConnectionRequest => context.getStore() ?? SHORT;

/** Runs `work` with its queries in a queue class, and for an organization if one is given. */
export function runInClass<T>(queueClass: QueueClass, work: () => Promise<T>, tenant?: string): Promise<T> {
  const store = context.getStore();
  return run({ ...store, queueClass, tenant: tenant ?? store?.tenant }, work);
}

/** Runs `work` with its queries on the node with an organization's rows. */
export const runOnNode = <T>(organizationId: string, work: () => Promise<T>): Promise<T> =>
  run({ ...getConnectionRequest(), beside: organizationId }, work);

/** Runs `work` as the holder of a connection. Until `work` ends, the pool refuses a second connection. */
export async function runAsHolder<T>(work: () => Promise<T>): Promise<T> {
  const held = { over: false };
  try {
    return await run({ ...getConnectionRequest(), holding: held }, work);
  } finally {
    held.over = true;
  }
}

/**
 * @throws Error if the running code holds a connection, because a wait for a second connection may never end (a pool
 * can have a single connection)
 */
export function rejectHolder(): void {
  if (context.getStore()?.holding?.over === false) {
    throw new Error("the pool was used inside an open transaction: use the transaction or client handed to the work");
  }
}

/** Number of work items that run in a context. */
let running = 0;

/**
 * Runs `work` in a context. Contexts are switched off while no work uses one, because tracking makes every promise of
 * the process slower, even for requests without a context.
 */
async function run<T>(inside: Context, work: () => Promise<T>): Promise<T> {
  running += 1;
  try {
    return await context.run(inside, work);
  } finally {
    running -= 1;
    if (running === 0) context.disable();
  }
}
