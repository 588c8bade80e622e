import { Unavailable } from "../../db/unavailable.ts";
import type { Outcome, Sink, Submission } from "./sink.ts";
import { takeTurns, type Waiting } from "./turns.ts";

/** Gathers submissions into commits. */
export interface Batcher {
  /**
   * Resolves once the submission is durable.
   * @throws Unavailable when the queue is full, the wait too long or the database in trouble
   */
  submit(submission: Submission): Promise<Outcome>;
  /** How many submissions wait for a commit. */
  readonly waiting: number;
}

/** Bounds of the queue before the commits. */
export interface BatcherLimits {
  maxWaiting: number;
  maxWaitMs: number;
}

/** A commit that has taken so long may be waiting for something that the next one need not wait for. */
const SLOW_MS = 20;

/**
 * One commit serves all that wait: a free lane takes what is there, without a timer, and while it commits the next
 * load gathers. So a lone request is not delayed, and many share one flush of the disk. Another lane opens beside a
 * commit only when that is slow or when a whole load waits: fewer commits at once cost less.
 */
export function batcher(sink: Sink, limits: BatcherLimits): Batcher {
  const queue = takeTurns();
  let busy = 0;
  let begun = 0;
  let scheduled = false;

  const mayBegin = () => busy === 0 || (busy < sink.lanes && (queue.full || performance.now() - begun >= SLOW_MS));

  const schedule = () => {
    if (scheduled || !mayBegin()) return;
    scheduled = true;
    // After the requests that arrived in the same turn of the event loop have been read.
    setImmediate(() => {
      scheduled = false;
      while (queue.size > 0 && mayBegin()) void run(queue.draw());
    });
  };

  const run = async (load: Waiting[]) => {
    busy += 1;
    begun = performance.now();
    try {
      const outcomes = await sink.commit(load.map(({ submission }) => submission));
      load.forEach((waiting, index) => {
        const outcome = outcomes[index];
        if (outcome === undefined || outcome instanceof Error) waiting.reject(outcome);
        else waiting.resolve(outcome);
      });
    } catch (error) {
      for (const waiting of load) waiting.reject(error);
    } finally {
      busy -= 1;
      if (queue.size > 0) schedule();
    }
  };

  return {
    get waiting() {
      return queue.size;
    },
    submit(submission) {
      if (queue.size >= limits.maxWaiting) return Promise.reject(new Unavailable("Too many requests are waiting"));
      return new Promise((resolve, reject) => {
        queue.add({ submission, resolve, reject, until: Date.now() + limits.maxWaitMs });
        schedule();
      });
    },
  };
}
