const PREFIX = "Deleted again, because it had been deleted:";

/** The line of a restore that reports what it deleted, by kind; empty where it deleted nothing. */
export function deletedText(deleted: ReadonlyMap<string, number>): string {
  const counts = [...deleted].map(([kind, count]) => `${kind}: ${count}`);
  return counts.length === 0 ? "" : `\n${PREFIX} ${counts.join(", ")}.`;
}

/** Reads that line in the output of a restore; undefined where it deleted nothing. */
export const deletedIn = (output: string): string | undefined =>
  output.split("\n").find((line) => line.startsWith(PREFIX));
