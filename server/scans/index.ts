import {
  DEFAULT_OPTIONS,
  type RedactionOptions,
  type Redactor,
  redactorFor,
  STEPS_PER_CHARACTER,
} from "../../redaction/index.ts";
import { unavailable } from "../errors.ts";
import { Attempt, type Known } from "./attempt.ts";
import { type ScanPool, scanPool } from "./pool.ts";
import type { Asked, Rules } from "./thread.ts";

export { TAKES_LONG } from "./attempt.ts";

/** Takes the secrets out of the texts of one organization, without keeping the main thread for long. */
export interface Scanner {
  /** False where the organization keeps its texts as they are sent. */
  isOn: boolean;
  /** Scans the texts of one request in small steps, and throws TAKES_LONG at the first that takes long. */
  quick(): Scan;
  /** Scans the texts of one request, those that take long on other threads. */
  patient(): Scan;
}

/** The scan of one request's texts. */
export interface Scan {
  isPatient: boolean;
  /** Steps of the texts so far, on whichever thread. They are charged to the caller. */
  steps(): number;
  /** The redactor of the present step. */
  redactor: Redactor;
  /** Begins the next step, on `redactor`. */
  next(): void;
  /**
   * Runs work that takes the secrets out of texts. A patient scan runs it again once other threads have scanned what takes
   * long, so work must begin anew each time, and leave what it was given as it was.
   * @throws AppError unavailable when too much text waits
   */
  run<T>(work: (redactor: Redactor) => T): T | Promise<T>;
}

/** The mark of a text that no thread searched in time, as of the rest of one whose steps were spent. */
const UNSCANNED = "unscanned";
/** A redacted text may be searched once more as a part of another: each time takes one more attempt. */
const MOST_ATTEMPTS = 8;

const shared = scanPool();

/** Makes the scanner of an organization. */
export function scannerFor(
  secret: Uint8Array,
  organizationId: string,
  options: RedactionOptions = DEFAULT_OPTIONS,
  pool: ScanPool = shared,
): Scanner {
  const redactor = redactorFor(secret, organizationId, options);
  const isCostlier = options.entropy || options.personalData || options.patterns.length > 0;
  const parts = { pool, rules: { secret, organizationId, options }, redactor, isCostlier };
  return {
    isOn: redactor.isOn,
    quick() {
      const attempt = new Attempt(redactor, isCostlier);
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
  rules: Rules;
  redactor: Redactor;
  isCostlier: boolean;
  spent: { steps: number };
}

function runPatiently<T>(parts: Parts, work: (redactor: Redactor) => T): T | Promise<T> {
  const known: Known[] = [];
  const first = attemptAt(parts, known, work);
  return "value" in first ? first.value : runAgain(parts, known, work, first.wanted);
}

async function runAgain<T>(
  parts: Parts,
  known: Known[],
  work: (redactor: Redactor) => T,
  first: readonly Asked[],
): Promise<T> {
  let wanted = first;
  for (let left = MOST_ATTEMPTS; left > 0; left -= 1) {
    for (const asked of wanted) known.push({ ...asked, redacted: await scanned(parts, asked) });
    const next = attemptAt(parts, known, work);
    if ("value" in next) return next.value;
    wanted = next.wanted;
  }
  throw unavailable("The text cannot be searched for secrets; send it in smaller parts");
}

/** Runs the work once: its value, or the texts that have to be scanned before. An error counts only when nothing is wanted. */
function attemptAt<T>(
  { redactor, isCostlier, spent }: Parts,
  known: Known[],
  work: (redactor: Redactor) => T,
): { value: T } | { wanted: readonly Asked[] } {
  const attempt = new Attempt(redactor, isCostlier, known);
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

async function scanned({ pool, rules, redactor, spent }: Parts, asked: Asked): Promise<string> {
  const found = await pool.scan(rules, asked);
  // The time that was lost over it is charged as if it had been searched.
  spent.steps += found?.steps ?? asked.text.length * STEPS_PER_CHARACTER;
  return found ? found.text : redactor.mark(UNSCANNED, asked.text);
}

/** One event and one point pay for so many steps: about what either costs besides. */
const STEPS_PER_UNIT = 2_000;

/** The cost of some steps in events or in points, beyond those that are paid for already. */
export const costOfSteps = (steps: number, paid: number): number =>
  Math.max(0, Math.floor(steps / STEPS_PER_UNIT) - paid);
