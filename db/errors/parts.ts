import { StatementTimeoutError, UnavailableError } from "./unavailable.ts";

/**
 * Identifies one part of a job: an organization, and a session or another row. The values of a part appear only in the
 * log.
 */
export type JobPart = Readonly<Record<string, string | undefined>>;

interface FailedPart {
  part: JobPart;
  error: unknown;
}

/** Maximum number of failed parts that are kept and logged. */
const SHOWN = 10;
/** Number of consecutive parts that found no connection, after which the database counts as down. */
const UNREACHED = 3;

/** Thrown at the end of a job if some parts of the job failed. All other parts are complete. */
export class PartsFailedError extends Error {
  readonly failures: number;
  /** First failed parts. */
  readonly shown: readonly FailedPart[];

  constructor(failures: number, shown: readonly FailedPart[]) {
    const [first] = shown;
    const where = Object.entries(first?.part ?? {}).map(([name, value]) => ` ${name} ${value}`);
    const times = failures === 1 ? "1 part" : `${failures} parts`;
    super(`${times} of the work failed, the first at${where.join("") || " a step"}: ${messageOf(first?.error)}`, {
      cause: first?.error,
    });
    this.name = "PartsFailedError";
    this.failures = failures;
    this.shown = shown;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const isUnreached = (error: unknown): boolean =>
  error instanceof UnavailableError && !(error instanceof StatementTimeoutError);
const isStop = (error: unknown): boolean => error instanceof Error && error.name === "AbortError";

/** Returns true for a failure that affects every part: the database is unreachable, or the server is stopping. */
export const affectsAllParts = (error: unknown): boolean => isUnreached(error) || isStop(error);

/**
 * Runs the parts of a job in order. If a part fails, the remaining parts still run. At the end, the caller must call
 * `end`, which throws if any part failed.
 */
export class PartRunner {
  #failures = 0;
  #unreached = 0;
  readonly #shown: FailedPart[] = [];

  /** Number of failed parts. */
  get failures(): number {
    return this.#failures;
  }

  /**
   * Runs one part. Returns the number that `work` returns, or 0 if the part failed. @throws UnavailableError, AbortError if
   * no part can run now
   */
  async run(part: JobPart, work: () => Promise<number>): Promise<number> {
    try {
      const done = await work();
      this.#unreached = 0;
      return done;
    } catch (error) {
      this.#unreached = isUnreached(error) ? this.#unreached + 1 : 0;
      if (isStop(error) || this.#unreached === UNREACHED) throw error;
      this.#note(part, error);
      return 0;
    }
  }

  #note(part: JobPart, error: unknown): void {
    const inner = error instanceof PartsFailedError ? error : { failures: 1, shown: [{ part: {}, error }] };
    this.#failures += inner.failures;
    const shown = inner.shown.slice(0, SHOWN - this.#shown.length);
    this.#shown.push(...shown.map((each) => ({ part: { ...part, ...each.part }, error: each.error })));
  }

  /** @throws PartsFailedError if any part failed */
  end(): void {
    if (this.#failures > 0) throw new PartsFailedError(this.#failures, this.#shown);
  }
}

/**
 * Runs `work` for every item, one after the other. If an item fails, the remaining items still run. Returns the sum of
 * the results.
 * @throws PartsFailedError after the last item
 */
export async function runEachPart<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  partOf: (item: Item) => JobPart,
  work: (item: Item) => Promise<number>,
): Promise<number> {
  const attempts = new PartRunner();
  let sum = 0;
  for await (const item of items) sum += await attempts.run(partOf(item), () => work(item));
  attempts.end();
  return sum;
}

/**
 * Runs several steps in order. If a step fails, the later steps still run. Returns the sum of the results. @throws
 * PartsFailedError
 */
export const runSteps = (...steps: (() => Promise<number>)[]): Promise<number> =>
  runEachPart(
    steps,
    () => ({}),
    (step) => step(),
  );

/**
 * Runs `work` for all items together. After a failure, runs `work` for each half of the items, and divides again until
 * only single items fail. Returns the sum of the results.
 * @throws PartsFailedError if some items failed
 */
export async function runBatchBisectingFailures<Item>(
  items: readonly Item[],
  partOf: (item: Item) => JobPart,
  work: (items: readonly Item[]) => Promise<number>,
): Promise<number> {
  try {
    return items.length === 0 ? 0 : await work(items);
  } catch (error) {
    const [first] = items;
    if (affectsAllParts(error)) throw error;
    if (items.length === 1 && first !== undefined) throw new PartsFailedError(1, [{ part: partOf(first), error }]);
    const half = Math.ceil(items.length / 2);
    return runSteps(
      () => runBatchBisectingFailures(items.slice(0, half), partOf, work),
      () => runBatchBisectingFailures(items.slice(half), partOf, work),
    );
  }
}
