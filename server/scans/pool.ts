import { availableParallelism } from "node:os";
import { draw, type Entry, enqueue, type FairQueue, fairQueue } from "../../concurrency/fair-queue.ts";
import { count } from "../counters.ts";
import { unavailable } from "../errors.ts";
import type { Asked, Rules, Scanned } from "./thread.ts";
import { NoThread, type ScanThread, startScanThread, ThreadLost } from "./worker.ts";

/** The threads that scan long text, and the queue before them. */
export interface ScanPool {
  /**
   * Scans a text on another thread. Organizations take turns. Undefined for a text that no thread scanned in time: it
   * must be withheld as a whole.
   * @throws AppError unavailable when too much text waits already, or there are no threads
   */
  scan(rules: Rules, asked: Asked): Promise<Scanned | undefined>;
}

/** Limits that only tests set otherwise. */
export interface PoolLimits {
  threads: number;
  /** Bytes of text that may wait: of all organizations, and of each. */
  most: number;
  mostOfEach: number;
  /** Milliseconds that a thread may take for a text, and more for each MiB of it. */
  longestMs: number;
  longestMsOfMib: number;
  start(): ScanThread;
}

const MIB = 1024 * 1024;
/** Two at least: one organization has half of them at most, so that another's text always finds one soon. */
const THREADS = Math.max(2, Math.min(4, availableParallelism()));
/** A thread without work ends after so long. */
const IDLE_MS = 30_000;
/** A thread may end for reasons that are not the text's: memory, or a signal. */
const ATTEMPTS = 2;
const FULL = "Too much text waits for the search for secrets; try again";
const NONE = "No thread can be started that searches text for secrets; try again later";
const RETRY_AFTER = 5;

interface Job extends Entry {
  rules: Rules;
  asked: Asked;
  resolve(scanned: Scanned | undefined): void;
  reject(error: Error): void;
}

interface Pool {
  limits: PoolLimits;
  queue: FairQueue<Job>;
  /** Threads without work, and how many there are in all. */
  idle: { thread: ScanThread; timer: NodeJS.Timeout }[];
  threads: number;
  /** Bytes that wait or are scanned, and texts that are scanned now, by organization. */
  bytes: Map<string, number>;
  running: Map<string, number>;
  all: number;
}

/** Creates a pool. The pool starts a thread when a text needs one. */
export function scanPool(limits: Partial<PoolLimits> = {}): ScanPool {
  const pool: Pool = {
    limits: {
      ...{ threads: THREADS, most: 32 * MIB, mostOfEach: 16 * MIB, longestMs: 30_000, longestMsOfMib: 60_000 },
      ...{ start: startScanThread, ...limits },
    },
    queue: fairQueue(),
    idle: [],
    threads: 0,
    bytes: new Map(),
    running: new Map(),
    all: 0,
  };
  return { scan: (rules, asked) => submit(pool, rules, asked) };
}

async function submit(pool: Pool, rules: Rules, asked: Asked): Promise<Scanned | undefined> {
  const { organizationId: key } = rules;
  const bytes = asked.text.length;
  admit(pool, key, bytes);
  try {
    return await new Promise<Scanned | undefined>((resolve, reject) => {
      enqueue(pool.queue, { key, rows: 1, bytes, names: [key], until: 0, rules, asked, resolve, reject });
      serve(pool);
    });
  } finally {
    pool.all -= bytes;
    add(pool.bytes, key, -bytes);
  }
}

/** Counts text that is about to wait. One text is taken however long it is: a body has a limit of its own. @throws AppError */
function admit(pool: Pool, key: string, bytes: number): void {
  const own = pool.bytes.get(key) ?? 0;
  const { most, mostOfEach } = pool.limits;
  if ((own > 0 && own + bytes > mostOfEach) || (pool.all > 0 && pool.all + bytes > most)) {
    count("scans_refused_total");
    throw unavailable(FULL, RETRY_AFTER);
  }
  pool.all += bytes;
  add(pool.bytes, key, bytes);
}

function add(numbers: Map<string, number>, key: string, more: number): void {
  const sum = (numbers.get(key) ?? 0) + more;
  if (sum === 0) numbers.delete(key);
  else numbers.set(key, sum);
}

/** Hands texts to threads while there are both. */
function serve(pool: Pool): void {
  const { queue, running, limits } = pool;
  const share = Math.max(1, Math.floor(limits.threads / 2));
  while (queue.size > 0 && (pool.idle.length > 0 || pool.threads < limits.threads)) {
    const busy = new Set([...running].filter(([, texts]) => texts >= share).map(([key]) => key));
    const [job] = draw(queue, ONE, busy);
    if (!job) return;
    void work(pool, job);
  }
}

const ONE = { rows: 1, bytes: Number.POSITIVE_INFINITY };

async function work(pool: Pool, job: Job): Promise<void> {
  add(pool.running, job.key, 1);
  try {
    job.resolve(await attempt(pool, job));
  } catch (error) {
    job.reject(error as Error);
  } finally {
    add(pool.running, job.key, -1);
    serve(pool);
  }
}

/** @returns undefined for a text that each thread was lost over */
async function attempt(pool: Pool, { rules, asked }: Job): Promise<Scanned | undefined> {
  const { longestMs, longestMsOfMib } = pool.limits;
  for (let left = ATTEMPTS; left > 0; left -= 1) {
    const thread = takeThread(pool);
    const limit = longestMs + (asked.text.length / MIB) * longestMsOfMib;
    const until = performance.now() + limit;
    try {
      return await thread.scan(rules, asked, limit);
    } catch (error) {
      if (error instanceof NoThread) throw unavailable(NONE, RETRY_AFTER);
      if (!(error instanceof ThreadLost)) throw error;
      // It took too long: another attempt would take as long.
      if (performance.now() >= until) break;
    } finally {
      giveThread(pool, thread);
    }
  }
  count("scans_withheld_total");
  return undefined;
}

function takeThread(pool: Pool): ScanThread {
  for (let free = pool.idle.pop(); free; free = pool.idle.pop()) {
    clearTimeout(free.timer);
    if (!free.thread.hasEnded()) return free.thread;
    pool.threads -= 1;
  }
  const thread = pool.limits.start();
  pool.threads += 1;
  return thread;
}

function giveThread(pool: Pool, thread: ScanThread): void {
  if (thread.hasEnded()) {
    pool.threads -= 1;
    return;
  }
  const timer = setTimeout(() => {
    pool.idle = pool.idle.filter((each) => each.thread !== thread);
    pool.threads -= 1;
    thread.end();
  }, IDLE_MS).unref();
  pool.idle.push({ thread, timer });
}
