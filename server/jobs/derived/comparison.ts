import { knex, toStatement } from "../../../db/builder.ts";
import type { Statement } from "../../../db/open.ts";
import { model } from "../../resources/index.ts";
import type { Runtime } from "../../runtime.ts";
import { systemScope } from "../../scope.ts";
import { mutate } from "../../write/mutate.ts";
import type { Write } from "../../write/write.ts";

/** Sends a statement, in a transaction or alone. */
export type Query = <Row>(statement: Statement) => Promise<Row[]>;

/** A value that is kept beside the rows that it is derived from, and how both are compared. */
export interface Comparison {
  /** Its name in the metric, the log and the positions. */
  value: string;
  /** The next keys behind one, as many as a slice takes, in the order of an index. */
  next(query: Query, organizationId: string, after: string): Promise<string[]>;
  /** Those of some keys whose value is not what it is derived from; none of which a job has still to do its part. */
  differing(query: Query, organizationId: string, keys: string[]): Promise<string[]>;
  /** Derives those that still differ anew, while nobody else writes them. Answers how many there were. */
  repair(runtime: Runtime, organizationId: string, keys: string[]): Promise<number>;
}

/** Walks the rows of a table by a key that follows the organization in an index. */
export const byKey =
  (table: string, slice: number, { tenant = "organizationId", key = "id" } = {}): Comparison["next"] =>
  async (query, organizationId, after) => {
    const rows = knex(table)
      .where({ [tenant]: organizationId })
      .where(key, ">", after);
    const found: { id: string }[] = await query(toStatement(rows.orderBy(key).limit(slice).select({ id: key })));
    return found.map(({ id }) => id);
  };

/** Asks one statement, which is of one moment: $1 is the organization, $2 the keys. */
export const bySql =
  (text: string): Comparison["differing"] =>
  async (query, organizationId, keys) => {
    const found: { id: string }[] = await query({ text, values: [organizationId, keys] });
    return found.map(({ id }) => id);
  };

/**
 * A comparison of the tracker's. What differs is compared again under the organization's lock: a mutation under way may
 * be changing just this, and the value found before it would undo what it derived.
 */
export const ofTracker = (
  comparison: Pick<Comparison, "value" | "next" | "differing">,
  derive: (write: Write, ids: string[]) => Promise<unknown>,
): Comparison => ({
  ...comparison,
  repair: (runtime, organizationId, keys) =>
    alone(runtime, organizationId, async (write) => {
      const wrong = await comparison.differing(write.trx.query, organizationId, keys);
      if (wrong.length > 0) await derive(write, wrong);
      write.direct = wrong.length > 0;
      return wrong.length;
    }),
});

/** Does something while nobody else writes in an organization. */
async function alone<T>(runtime: Runtime, organizationId: string, work: (write: Write) => Promise<T>): Promise<T> {
  const outcome: { value?: T } = {};
  await mutate(systemScope(runtime, organizationId), model, async (write) => {
    outcome.value = await work(write);
    return {};
  });
  return outcome.value as T;
}
