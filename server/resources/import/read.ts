import type { Batch } from "./batch.ts";

/** Reads by a statement whose first parameter is the organization. Its lists are single parameters each. */
export const read = <Found>({ write }: Batch, text: string, values: readonly unknown[]): Promise<Found[]> =>
  write.trx.query<Found>({ text, values: [write.scope.organizationId, ...values], writes: [] });

/** Each value once, without what is absent. */
export const some = <Value>(values: Iterable<Value | null | undefined>): NonNullable<Value>[] => [
  ...new Set([...values].filter((value): value is NonNullable<Value> => value !== null && value !== undefined)),
];
