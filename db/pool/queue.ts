import { createSemaphore } from "../../concurrency/semaphore.ts";
import type { QueueClass } from "../database.ts";
import { Unavailable } from "../errors/unavailable.ts";

/** The queue before a fixed number of connections. */
export interface Queue {
  /**
   * Waits until a connection may be taken; resolves to the function that says it was given back.
   * Rejects with `Unavailable` when the queue is full or after 2 s.
   */
  enter(queueClass: QueueClass): Promise<() => void>;
  /** How many wait, of all classes. */
  waiting(): number;
}

/** Whoever waits in a class before goes first. */
const PRIORITY: Record<QueueClass, number> = { short: 0, read: 1, upkeep: 2 };
const REFUSED = {
  full: "The database has too many requests waiting; try again",
  late: "The database is busy; try again",
};
const BOUNDS = {
  maxWaiting: 1_000,
  maxWaitMs: 2_000,
  refusal: (reason: "full" | "late") => new Unavailable(REFUSED[reason]),
};

/** One queue of three classes before `connections` connections. */
export function createQueue(connections: number): Queue {
  const { acquire, waiting } = createSemaphore(connections, BOUNDS);
  return { waiting, enter: (queueClass) => acquire(PRIORITY[queueClass]) };
}
