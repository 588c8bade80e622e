import { knex, toStatement } from "../../../db/builder.ts";
import type { Statement } from "../../../db/open.ts";
import { entityModel } from "../../resources/index.ts";
import type { Runtime } from "../../runtime.ts";
import { createSystemScope } from "../../scope.ts";
import { runMutationTransaction } from "../../write/mutate.ts";
import type { WriteContext } from "../../write/write.ts";

/** Sends a statement, in a transaction or alone. */
export type Query = <Row>(statement: Statement) => Promise<Row[]>;

/** Derived value, and how to compare the value with the source rows of the value. */
export interface DerivedValueComparison {
  /** Name of the derived value in the metric, the log and the stored positions. */
  value: string;
  /** Returns the next keys after `after`, up to the size of a slice, in index order. */
  next(query: Query, organizationId: string, after: string): Promise<string[]>;
  /**
   * Returns the keys with a derived value that differs from the source. Leaves out keys that a job still has to
   * process.
   */
  differing(query: Query, organizationId: string, keys: string[]): Promise<string[]>;
  /**
   * Compares the values again while no other transaction writes, and derives the differing values again. Returns the
   * number of corrected values.
   */
  repair(runtime: Runtime, organizationId: string, keys: string[]): Promise<number>;
}

/**
 * Creates a `next` function that walks the rows of a table by `key`. An index must contain the key directly after the
 * organization.
 */
export const createKeyReader =
  (table: string, slice: number, { tenant = "organizationId", key = "id" } = {}): DerivedValueComparison["next"] =>
  async (query, organizationId, after) => {
    const rows = knex(table)
      .where({ [tenant]: organizationId })
      .where(key, ">", after);
    const found: { id: string }[] = await query(toStatement(rows.orderBy(key).limit(slice).select({ id: key })));
    return found.map(({ id }) => id);
  };

/**
 * Creates a `differing` function from one SQL statement, so that the comparison sees a single snapshot. $1 is the
 * organization, $2 the keys.
 */
export const createDifferenceQuery =
  (text: string): DerivedValueComparison["differing"] =>
  async (query, organizationId, keys) => {
    const found: { id: string }[] = await query({ text, values: [organizationId, keys] });
    return found.map(({ id }) => id);
  };

/**
 * Creates a comparison for a tracker value. Differing values are compared again under the organization's lock. Without
 * the lock, a concurrent mutation may be changing the value, and the repair would overwrite the mutation's result.
 */
export const createTrackerComparison = (
  comparison: Pick<DerivedValueComparison, "value" | "next" | "differing">,
  derive: (write: WriteContext, ids: string[]) => Promise<unknown>,
): DerivedValueComparison => ({
  ...comparison,
  repair: (runtime, organizationId, keys) =>
    alone(runtime, organizationId, async (write) => {
      const wrong = await comparison.differing(write.trx.query, organizationId, keys);
      if (wrong.length > 0) await derive(write, wrong);
      write.direct = wrong.length > 0;
      return wrong.length;
    }),
});

/** Runs work while no other transaction writes in the organization. */
async function alone<T>(
  runtime: Runtime,
  organizationId: string,
  work: (write: WriteContext) => Promise<T>,
): Promise<T> {
  const outcome: { value?: T } = {};
  await runMutationTransaction(createSystemScope(runtime, organizationId), entityModel, async (write) => {
    outcome.value = await work(write);
    return {};
  });
  return outcome.value as T;
}
