const PREFIX = "Deleted again, because it had been deleted:";

/**
 * Returns the line in which a restore reports how many rows of each kind the restore deleted because of tombstones.
 * Returns an empty text if the restore deleted no rows.
 */
export function formatDeletedCounts(deleted: ReadonlyMap<string, number>): string {
  const counts = [...deleted].map(([kind, count]) => `${kind}: ${count}`);
  return counts.length === 0 ? "" : `\n${PREFIX} ${counts.join(", ")}.`;
}

/** Finds the line of `formatDeletedCounts` in the output of a restore. Undefined when the restore deleted no rows. */
export const findDeletedCountsLine = (output: string): string | undefined =>
  output.split("\n").find((line) => line.startsWith(PREFIX));
