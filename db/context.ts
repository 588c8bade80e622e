import { AsyncLocalStorage } from "node:async_hooks";
import type { QueueClass } from "./database.ts";

interface Context {
  queueClass: QueueClass;
  /** Present inside `transaction`; not open any more for what outlives it. */
  transaction?: { open: boolean };
}

/** What the code that runs now has said about its queries, carried along its promises. */
export const context = new AsyncLocalStorage<Context>();

/** The queue class set by `as`. */
export const queueClass = (): QueueClass => context.getStore()?.queueClass ?? "short";

/** @throws when an open transaction would wait for a second connection: with a pool of one, for ever. */
export function refuseInsideTransaction(): void {
  if (context.getStore()?.transaction?.open) {
    throw new Error("the pool was used inside an open transaction: use the transaction handed to the work");
  }
}
