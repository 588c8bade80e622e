import {
  draw,
  type Entry,
  enqueue,
  expire,
  type FairQueue,
  fairQueue,
  isFull,
} from "../../../concurrency/fair-queue.ts";
import { Unavailable } from "../../../db/errors/unavailable.ts";
import type { Outcome, Sink, Submission } from "./sink.ts";

/** Gathers submissions into commits. */
export interface GroupCommit {
  /**
   * Resolves once the submission is durable.
   * @throws Unavailable when the queue is full, the wait too long or the database unavailable
   */
  submit(submission: Submission): Promise<Outcome>;
}

/** Bounds of the queue before the commits. */
export interface QueueLimits {
  maxWaiting: number;
  maxWaitMs: number;
}

interface Waiting extends Entry {
  submission: Submission;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

interface State {
  sink: Sink;
  queue: FairQueue<Waiting>;
  /** Commits that run. */
  running: number;
  /** When the last of them began. */
  begun: number;
  scheduled: boolean;
  expiring: boolean;
}

/** What one commit takes. */
const MOST = { rows: 2_000, bytes: 8 * 1024 * 1024 };
/** A commit that has taken so long may be waiting for something that the next one need not wait for. */
const SLOW_MS = 20;
const EXPIRE_EVERY_MS = 500;

/**
 * One commit serves all that wait: it takes what is there, without a timer, and while it runs the next load gathers. So
 * a lone request is not delayed, and many share one flush of the disk. Another commit begins beside it only when it is
 * slow or when a whole load waits: fewer at once cost less.
 */
export function groupCommit(sink: Sink, limits: QueueLimits): GroupCommit {
  const state = { sink, queue: fairQueue<Waiting>(), running: 0, begun: 0, scheduled: false, expiring: false };
  return {
    submit(submission) {
      if (state.queue.size >= limits.maxWaiting)
        return Promise.reject(new Unavailable("Too many requests are waiting"));
      return new Promise((resolve, reject) => {
        enqueue(state.queue, waiting(submission, Date.now() + limits.maxWaitMs, { resolve, reject }));
        expireLater(state);
        schedule(state);
      });
    },
  };
}

const waiting = (submission: Submission, until: number, caller: Pick<Waiting, "resolve" | "reject">): Waiting => ({
  key: submission.key.id,
  rows: submission.events.length + (submission.session ? 1 : 0),
  bytes: submission.bytes,
  until,
  expire: () => caller.reject(new Unavailable("The database did not take the rows in time")),
  submission,
  ...caller,
});

function schedule(state: State): void {
  if (state.scheduled || !mayBegin(state)) return;
  state.scheduled = true;
  // After the requests that arrived in the same round of the event loop have been read.
  setImmediate(() => {
    state.scheduled = false;
    while (state.queue.size > 0 && mayBegin(state)) void commit(state, draw(state.queue, MOST));
  });
}

const mayBegin = ({ sink, queue, running, begun }: State): boolean =>
  running === 0 || (running < sink.parallelCommits && (isFull(queue, MOST) || performance.now() - begun >= SLOW_MS));

async function commit(state: State, load: Waiting[]): Promise<void> {
  state.running += 1;
  state.begun = performance.now();
  try {
    const outcomes = await state.sink.commit(load.map(({ submission }) => submission));
    for (const [index, { resolve, reject }] of load.entries()) {
      const outcome = outcomes[index];
      if (outcome === undefined || outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    }
  } catch (error) {
    for (const { reject } of load) reject(error);
  } finally {
    state.running -= 1;
    if (state.queue.size > 0) schedule(state);
  }
}

/** Whoever waits too long is answered, whether or not anything is committed meanwhile. */
function expireLater(state: State): void {
  if (state.expiring || state.queue.size === 0) return;
  state.expiring = true;
  setTimeout(() => {
    state.expiring = false;
    expire(state.queue, Date.now());
    expireLater(state);
  }, EXPIRE_EVERY_MS).unref();
}
