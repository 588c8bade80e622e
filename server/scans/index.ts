import {
  createRedactor,
  DEFAULT_OPTIONS,
  type RedactionOptions,
  type Redactor,
  STEPS_PER_CHARACTER,
} from "../../redaction/index.ts";
import { unavailable } from "../errors.ts";
import { ScanAttempt, type ScannedText } from "./attempt.ts";
import { createScanPool, type ScanPool } from "./pool.ts";
import type { ScanInput, ScanRules } from "./thread.ts";

export { SCAN_TAKES_LONG_ERROR } from "./attempt.ts";

/** Redacts secrets in the text of one organization without blocking the main thread for long. */
export interface SecretScanner {
  /** False if the organization stores text as sent. */
  isOn: boolean;
  /** Scans the texts of one request in small steps, and throws SCAN_TAKES_LONG_ERROR at the first text that takes long. */
  quick(): RequestScan;
  /** Scans the texts of one request. Other threads scan the texts that take long. */
  patient(): RequestScan;
}

/** Scan of one request's texts. */
export interface RequestScan {
  isPatient: boolean;
  /** Steps so far, on all threads. The steps are charged to the caller. */
  steps(): number;
  /** Redactor for the current step. */
  redactor: Redactor;
  /** Starts the next step with `redactor`. */
  next(): void;
  /**
   * Runs work that redacts texts. A patient scan repeats the work after other threads have scanned long texts. The work
   * must therefore start over each time and must not change its input.
   * @throws AppError unavailable when too much text waits
   */
  run<T>(work: (redactor: Redactor) => T): T | Promise<T>;
}

/** Kind of mark for a text that no thread scanned in time, the same as for text whose step budget is spent. */
const UNSCANNED = "unscanned";
/**
 * Maximum number of repeated attempts. Several may be needed, because a redacted text may become part of another text,
 * which must then be scanned in one more attempt.
 */
const MOST_ATTEMPTS = 8;

const shared = createScanPool();

export function createSecretScanner(
  secret: Uint8Array,
  organizationId: string,
  options: RedactionOptions = DEFAULT_OPTIONS,
  pool: ScanPool = shared,
): SecretScanner {
  const redactor = createRedactor(secret, organizationId, options);
  const isCostlier = options.entropy || options.personalData || options.patterns.length > 0;
  const parts = { pool, rules: { secret, organizationId, options }, redactor, isCostlier };
  return {
    isOn: redactor.isOn,
    quick() {
      const attempt = new ScanAttempt(redactor, isCostlier);
      return {
        isPatient: false,
        steps: () => attempt.steps,
        redactor: attempt,
        next: () => attempt.next(),
        run(work) {
          attempt.next();
          return work(attempt);
        },
      };
    },
    patient() {
      const spent = { steps: 0 };
      return {
        isPatient: true,
        steps: () => spent.steps,
        get redactor(): Redactor {
          throw new Error("a patient scan lends its redactor to run alone");
        },
        next() {},
        run: (work) => runPatiently({ ...parts, spent }, work),
      };
    },
  };
}

interface Parts {
  pool: ScanPool;
  rules: ScanRules;
  redactor: Redactor;
  isCostlier: boolean;
  spent: { steps: number };
}

function runPatiently<T>(parts: Parts, work: (redactor: Redactor) => T): T | Promise<T> {
  const known: ScannedText[] = [];
  const first = attemptAt(parts, known, work);
  return "value" in first ? first.value : runAgain(parts, known, work, first.wanted);
}

async function runAgain<T>(
  parts: Parts,
  known: ScannedText[],
  work: (redactor: Redactor) => T,
  first: readonly ScanInput[],
): Promise<T> {
  let wanted = first;
  for (let left = MOST_ATTEMPTS; left > 0; left -= 1) {
    for (const asked of wanted) known.push({ ...asked, redacted: await scanned(parts, asked) });
    const next = attemptAt(parts, known, work);
    if ("value" in next) return next.value;
    wanted = next.wanted;
  }
  throw unavailable("The server cannot search the text for secrets; send the text in smaller parts");
}

/**
 * Runs the work once. Returns the value, or the texts that must be scanned first. If texts must be scanned first, an
 * error of the work is ignored, because the work ran with unscanned texts.
 */
function attemptAt<T>(
  { redactor, isCostlier, spent }: Parts,
  known: ScannedText[],
  work: (redactor: Redactor) => T,
): { value: T } | { wanted: readonly ScanInput[] } {
  const attempt = new ScanAttempt(redactor, isCostlier, known);
  try {
    const value = work(attempt);
    return attempt.wanted().length === 0 ? { value } : { wanted: attempt.wanted() };
  } catch (error) {
    if (attempt.wanted().length === 0) throw error;
    return { wanted: attempt.wanted() };
  } finally {
    spent.steps += attempt.steps;
  }
}

async function scanned({ pool, rules, redactor, spent }: Parts, asked: ScanInput): Promise<string> {
  const found = await pool.scan(rules, asked);
  // Without a result, the lost time is charged as if the text had been scanned.
  spent.steps += found?.steps ?? asked.text.length * STEPS_PER_CHARACTER;
  return found ? found.text : redactor.mark(UNSCANNED, asked.text);
}

/**
 * Number of scan steps that the price of one event or one point includes. These steps cost about as much as the other
 * work for an event or a point.
 */
const STEPS_PER_UNIT = 2_000;

/** Returns the price of scan steps in events or points, minus the events or points that are already paid. */
export const computeScanCost = (steps: number, paid: number): number =>
  Math.max(0, Math.floor(steps / STEPS_PER_UNIT) - paid);
