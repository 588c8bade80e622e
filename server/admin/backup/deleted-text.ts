const PREFIX = "Deleted again, because it had been deleted:";

/**
 * The line of a restore's output that reports the rows deleted because of tombstones, by kind. Empty when the restore
 * deleted no rows.
 */
export function deletedText(deleted: ReadonlyMap<string, number>): string {
  const counts = [...deleted].map(([kind, count]) => `${kind}: ${count}`);
  return counts.length === 0 ? "" : `\n${PREFIX} ${counts.join(", ")}.`;
}

/** Finds the line of `deletedText` in the output of a restore. Undefined when the restore deleted no rows. */
export const deletedIn = (output: string): string | undefined =>
  output.split("\n").find((line) => line.startsWith(PREFIX));
