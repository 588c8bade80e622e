import { availableParallelism } from "node:os";
import {
  createFairQueue,
  dequeueBatch,
  enqueue,
  type FairQueue,
  type QueueEntry,
} from "../../concurrency/fair-queue.ts";
import { incrementCounter } from "../counters.ts";
import { unavailable } from "../errors.ts";
import type { ScanInput, ScanResult, ScanRules } from "./thread.ts";
import { type ScanThread, ScanThreadLostError, ScanThreadUnavailableError, startScanThread } from "./worker.ts";

/** Pool of threads that scan long text, with a queue. */
export interface ScanPool {
  /**
   * Scans a text on another thread. Organizations take turns. Returns undefined if no thread scanned the text in time;
   * the whole text must then be withheld.
   * @throws AppError unavailable when too much text already waits, or no thread can be started
   */
  scan(rules: ScanRules, asked: ScanInput): Promise<ScanResult | undefined>;
}

/** Limits that only tests change. */
export interface PoolLimits {
  threads: number;
  /**
   * Maximum bytes of text that waits or is being scanned: for all organizations together, and for each organization.
   */
  most: number;
  mostOfEach: number;
  /** Time limit of a scan in milliseconds, and additional milliseconds per MiB of text. */
  longestMs: number;
  longestMsOfMib: number;
  start(): ScanThread;
}

const MIB = 1024 * 1024;
/**
 * Number of threads, at least two. One organization gets at most half of the threads, so that text of other
 * organizations soon finds a thread.
 */
const THREADS = Math.max(2, Math.min(4, availableParallelism()));
/** Time after which an idle thread ends. */
const IDLE_MS = 30_000;
/** Attempts per text. A thread may end for reasons other than the text, such as memory or a signal. */
const ATTEMPTS = 2;
const FULL = "The server is still searching earlier text for secrets; try again";
const NONE = "The server cannot start a thread to search text for secrets; try again later";
const RETRY_AFTER = 5;

interface Job extends QueueEntry {
  rules: ScanRules;
  asked: ScanInput;
  resolve(scanned: ScanResult | undefined): void;
  reject(error: Error): void;
}

interface Pool {
  limits: PoolLimits;
  queue: FairQueue<Job>;
  /** Idle threads, and the total number of threads. */
  idle: { thread: ScanThread; timer: NodeJS.Timeout }[];
  threads: number;
  /**
   * By organization: bytes of text that waits or is being scanned (`bytes`), and number of texts that are being scanned
   * (`running`).
   */
  bytes: Map<string, number>;
  running: Map<string, number>;
  all: number;
}

/** Creates a pool. The pool starts a thread when a text needs one. */
export function createScanPool(limits: Partial<PoolLimits> = {}): ScanPool {
  const pool: Pool = {
    limits: {
      ...{ threads: THREADS, most: 32 * MIB, mostOfEach: 16 * MIB, longestMs: 30_000, longestMsOfMib: 60_000 },
      ...{ start: startScanThread, ...limits },
    },
    queue: createFairQueue(),
    idle: [],
    threads: 0,
    bytes: new Map(),
    running: new Map(),
    all: 0,
  };
  return { scan: (rules, asked) => submit(pool, rules, asked) };
}

async function submit(pool: Pool, rules: ScanRules, asked: ScanInput): Promise<ScanResult | undefined> {
  const { organizationId: key } = rules;
  const bytes = asked.text.length;
  admit(pool, key, bytes);
  try {
    return await new Promise<ScanResult | undefined>((resolve, reject) => {
      enqueue(pool.queue, { key, rows: 1, bytes, names: [key], until: 0, rules, asked, resolve, reject });
      serve(pool);
    });
  } finally {
    pool.all -= bytes;
    addNumber(pool.bytes, key, -bytes);
  }
}

/**
 * Counts a text that is about to wait, unless too much text waits or is being scanned. If no other text waits or is
 * being scanned, a text of any length is accepted, because the request body has its own limit. @throws AppError
 */
function admit(pool: Pool, key: string, bytes: number): void {
  const own = pool.bytes.get(key) ?? 0;
  const { most, mostOfEach } = pool.limits;
  if ((own > 0 && own + bytes > mostOfEach) || (pool.all > 0 && pool.all + bytes > most)) {
    incrementCounter("scans_refused_total");
    throw unavailable(FULL, RETRY_AFTER);
  }
  pool.all += bytes;
  addNumber(pool.bytes, key, bytes);
}

function addNumber(numbers: Map<string, number>, key: string, more: number): void {
  const sum = (numbers.get(key) ?? 0) + more;
  if (sum === 0) numbers.delete(key);
  else numbers.set(key, sum);
}

/** Assigns waiting texts to threads. */
function serve(pool: Pool): void {
  const { queue, running, limits } = pool;
  const share = Math.max(1, Math.floor(limits.threads / 2));
  while (queue.size > 0 && (pool.idle.length > 0 || pool.threads < limits.threads)) {
    const busy = new Set([...running].filter(([, texts]) => texts >= share).map(([key]) => key));
    const [job] = dequeueBatch(queue, ONE, busy);
    if (!job) return;
    void work(pool, job);
  }
}

const ONE = { rows: 1, bytes: Number.POSITIVE_INFINITY };

async function work(pool: Pool, job: Job): Promise<void> {
  addNumber(pool.running, job.key, 1);
  try {
    job.resolve(await attempt(pool, job));
  } catch (error) {
    job.reject(error as Error);
  } finally {
    addNumber(pool.running, job.key, -1);
    serve(pool);
  }
}

/** @returns undefined if no attempt finished the scan */
async function attempt(pool: Pool, { rules, asked }: Job): Promise<ScanResult | undefined> {
  const { longestMs, longestMsOfMib } = pool.limits;
  for (let left = ATTEMPTS; left > 0; left -= 1) {
    const thread = takeThread(pool);
    const limit = longestMs + (asked.text.length / MIB) * longestMsOfMib;
    const until = performance.now() + limit;
    try {
      return await thread.scan(rules, asked, limit);
    } catch (error) {
      if (error instanceof ScanThreadUnavailableError) throw unavailable(NONE, RETRY_AFTER);
      if (!(error instanceof ScanThreadLostError)) throw error;
      // The time limit ended the thread; another attempt would take as long.
      if (performance.now() >= until) break;
    } finally {
      giveThread(pool, thread);
    }
  }
  incrementCounter("scans_withheld_total");
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
