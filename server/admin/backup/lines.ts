import { isNewer } from "../../../db/migrations/index.ts";

/** A backup that cannot be restored here; the message says why and what to do. */
export class RestoreError extends Error {}

/** The first line of a backup. */
interface Header {
  format?: string;
  version?: number;
  createdAt: string;
  migrations: string[];
  secret: string;
}

/** Reads the first line. @throws RestoreError for a file that is no backup, or comes from a newer release */
export async function readHeader(lines: AsyncIterator<string>): Promise<Header> {
  const first = await lines.next();
  const header = parsedLine(first.done ? "" : first.value) as unknown as Header;
  if (header.format !== "trackway-backup" || header.version !== 1) {
    throw new RestoreError("the file is no backup that this release can read");
  }
  const newer = header.migrations.filter(isNewer);
  if (newer.length > 0)
    throw new RestoreError(`the backup comes from a newer release (${newer}): restore it with that one`);
  return header;
}

/** A line that is no row: what rows follow, or how many there were. */
export interface Mark {
  table: string;
  columns: string[];
  end?: true;
  rows?: number;
}

/** Reads a line that is no row. No table has a column `table` first, or `end`. */
export function markOf(line: string): Mark | null {
  return line.startsWith('{"table":') || line.startsWith('{"end":') ? (parsedLine(line) as unknown as Mark) : null;
}

/** Parses a line. @throws RestoreError */
function parsedLine(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line);
  } catch {
    throw new RestoreError("the file is no backup that this release can read");
  }
}
