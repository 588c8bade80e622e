import { AsyncLocalStorage } from "node:async_hooks";
import type { QueueClass, Turn } from "../database.ts";

interface Context extends Turn {
  /** Set inside `transaction` and `connection`; `over` for work that outlives them. */
  holding?: { over: boolean };
}

/** The turn of the code that runs now, and whether it holds a connection; follows its promises. */
const context = new AsyncLocalStorage<Context>();

const SHORT: Turn = { queueClass: "short" };

/** The turn set by `Database.as`. */
export const turn = (): Turn => context.getStore() ?? SHORT;

/** Runs `work` with its queries in a queue class, and as those of an organization where one is given. */
export function inClass<T>(queueClass: QueueClass, work: () => Promise<T>, tenant?: string): Promise<T> {
  const store = context.getStore();
  return run({ ...store, queueClass, tenant: tenant ?? store?.tenant }, work);
}

/** Runs `work` as the holder of a connection: until it ends, the pool refuses it another. */
export async function holding<T>(work: () => Promise<T>): Promise<T> {
  const held = { over: false };
  try {
    return await run({ ...turn(), holding: held }, work);
  } finally {
    held.over = true;
  }
}

/** @throws when the code that runs now holds a connection: waiting for another may take for ever (pool of one). */
export function refuseHolder(): void {
  if (context.getStore()?.holding?.over === false) {
    throw new Error("the pool was used inside an open transaction: use the transaction or client handed to the work");
  }
}

/** The number of work items that run in a context. */
let running = 0;

/**
 * Runs `work` in a context. While no work runs in any, contexts are switched off: following the promises of a process makes
 * each of them dearer, of requests that need no context too.
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
