import { AsyncLocalStorage } from "node:async_hooks";
import type { ConnectionRequest, QueueClass } from "../database.ts";

interface Context extends ConnectionRequest {
  /**
   * Set for code that runs within `transaction` or `connection`. `over` becomes true when the transaction or the use of
   * the connection ends, for code that continues afterwards.
   */
  holding?: { over: boolean };
}

/**
 * Queue class and organization of the running code, and whether the code holds a connection. Promises pass the context
 * on.
 */
const context = new AsyncLocalStorage<Context>();

const SHORT: ConnectionRequest = { queueClass: "short" };

/** Returns the turn that `Database.as` set. */
export const getConnectionRequest = (): ConnectionRequest => context.getStore() ?? SHORT;

/** Runs `work`. The queries of `work` use the given queue class and, if given, the organization `tenant`. */
export function runInQueueClass<T>(queueClass: QueueClass, work: () => Promise<T>, tenant?: string): Promise<T> {
  const store = context.getStore();
  return run({ ...store, queueClass, tenant: tenant ?? store?.tenant }, work);
}

/** Runs `work`. The queries of `work` run on the node that contains the organization's rows. */
export const runOnNode = <T>(organizationId: string, work: () => Promise<T>): Promise<T> =>
  run({ ...getConnectionRequest(), beside: organizationId }, work);

/**
 * Runs `work` as the holder of a connection. Until `work` ends, the pool refuses to give `work` a second connection.
 */
export async function runHoldingConnection<T>(work: () => Promise<T>): Promise<T> {
  const held = { over: false };
  try {
    return await run({ ...getConnectionRequest(), holding: held }, work);
  } finally {
    held.over = true;
  }
}

/**
 * @throws Error if the running code already holds a connection. A pool can have a single connection, so a wait for a
 * second connection might never end.
 */
export function assertNoConnectionHeld(): void {
  if (context.getStore()?.holding?.over === false) {
    throw new Error("the pool was used inside an open transaction: use the transaction or client handed to the work");
  }
}

/** Number of work items that run in a context. */
let running = 0;

/**
 * Runs `work` in a context. Contexts are switched off while no work uses a context. Otherwise the tracking of contexts
 * would slow down every promise of the process, even for requests without a context.
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
