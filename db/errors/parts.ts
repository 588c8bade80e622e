import { TookTooLong, Unavailable } from "./unavailable.ts";

/** The part of a job's work that failed: an organization, and a session or another row of it. Only the log shows it. */
export type Part = Readonly<Record<string, string | undefined>>;

/** A part that failed, with the reason. */
interface FailedPart {
  part: Part;
  error: unknown;
}

/** The most failed parts that are kept and logged. */
const SHOWN = 10;
/** The database counts as down after so many parts in a row could not reach it. */
const UNREACHED = 3;

/** Thrown at the end of work of which some parts failed. The other parts are done. */
export class PartsFailed extends Error {
  readonly failures: number;
  /** The first of the failed parts. */
  readonly shown: readonly FailedPart[];

  constructor(failures: number, shown: readonly FailedPart[]) {
    const [first] = shown;
    const where = Object.entries(first?.part ?? {}).map(([name, value]) => ` ${name} ${value}`);
    const times = failures === 1 ? "1 part" : `${failures} parts`;
    super(`${times} of the work failed, the first at${where.join("") || " a step"}: ${messageOf(first?.error)}`, {
      cause: first?.error,
    });
    this.name = "PartsFailed";
    this.failures = failures;
    this.shown = shown;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const isUnreached = (error: unknown): boolean => error instanceof Unavailable && !(error instanceof TookTooLong);
const isStop = (error: unknown): boolean => error instanceof Error && error.name === "AbortError";

/** True for a failure that every part would meet: the database is away, or the server stops. */
export const affectsAll = (error: unknown): boolean => isUnreached(error) || isStop(error);

/** Attempts parts of some work one after the other, so that each fails alone. Finish with `end`. */
export class Attempts {
  #failures = 0;
  #unreached = 0;
  readonly #shown: FailedPart[] = [];

  /** The number of parts that failed so far. */
  get failures(): number {
    return this.#failures;
  }

  /** Resolves with the work's count, or 0 when it failed. @throws Unavailable, AbortError when no part can be done now */
  async run(part: Part, work: () => Promise<number>): Promise<number> {
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

  #note(part: Part, error: unknown): void {
    const inner = error instanceof PartsFailed ? error : { failures: 1, shown: [{ part: {}, error }] };
    this.#failures += inner.failures;
    const shown = inner.shown.slice(0, SHOWN - this.#shown.length);
    this.#shown.push(...shown.map((each) => ({ part: { ...part, ...each.part }, error: each.error })));
  }

  /** @throws PartsFailed when some part failed */
  end(): void {
    if (this.#failures > 0) throw new PartsFailed(this.#failures, this.#shown);
  }
}

/**
 * Does work for every item, one after the other. When an item fails, the others still have their turn. Resolves with the
 * sum. @throws PartsFailed after the last item
 */
export async function sumEach<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  partOf: (item: Item) => Part,
  work: (item: Item) => Promise<number>,
): Promise<number> {
  const attempts = new Attempts();
  let sum = 0;
  for await (const item of items) sum += await attempts.run(partOf(item), () => work(item));
  attempts.end();
  return sum;
}

/** Takes several steps, the later ones also when an earlier one failed. Resolves with the sum. @throws PartsFailed */
export const sumSteps = (...steps: (() => Promise<number>)[]): Promise<number> =>
  sumEach(
    steps,
    () => ({}),
    (step) => step(),
  );

/**
 * Does work for all items together. When that fails, does it for each half, down to the items that fail alone. Resolves with
 * the sum. @throws PartsFailed when some items failed
 */
export async function sumTogether<Item>(
  items: readonly Item[],
  partOf: (item: Item) => Part,
  work: (items: readonly Item[]) => Promise<number>,
): Promise<number> {
  try {
    return items.length === 0 ? 0 : await work(items);
  } catch (error) {
    const [first] = items;
    if (affectsAll(error)) throw error;
    if (items.length === 1 && first !== undefined) throw new PartsFailed(1, [{ part: partOf(first), error }]);
    const half = Math.ceil(items.length / 2);
    return sumSteps(
      () => sumTogether(items.slice(0, half), partOf, work),
      () => sumTogether(items.slice(half), partOf, work),
    );
  }
}
