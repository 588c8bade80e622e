/** Jobs that the tests of this file cause to fail. */
const expected = new Set<string>();

/** Allows a job to log failures until the tests of this file end. The file also fails if the job logs no failure. */
export const expectJobFailure = (job: string): unknown => expected.add(job);

interface LogLine {
  level?: number;
  job?: string;
  msg?: string;
  err?: { type?: string; message?: string };
}

const WARN = 40;

/** Lists the unexpected failures of jobs in log lines, and the expected failures that did not happen. */
export function findWrongFailures(lines: readonly string[]): string[] {
  const logged = new Set<string>();
  const wrong = new Set<string>();
  for (const line of lines.filter((text) => text.includes('"job":'))) {
    const { level = 0, job, msg, err }: LogLine = JSON.parse(line);
    if (job === undefined || level < WARN) continue;
    logged.add(job);
    if (!expected.has(job)) wrong.add(`${job}: ${err?.message ?? msg}`);
  }
  for (const job of expected)
    if (!logged.has(job)) wrong.add(`${job}: a test expected it to fail, and it logged no failure`);
  expected.clear();
  return [...wrong];
}

const fromProcesses: string[] = [];

/**
 * Keeps the failures of jobs that a server process printed. A process whose database is unreachable on purpose may
 * report the error `Unavailable`. The summary line of a job with several parts has no error, because each part has a
 * separate line.
 */
export function keepJobFailures(output: string): void {
  const lines = output.split("\n").filter((line) => line.startsWith("{") && line.includes('"job":'));
  fromProcesses.push(
    ...lines.filter((line) => isWhole(line) && !["UnavailableError", undefined].includes(JSON.parse(line).err?.type)),
  );
}

/** Tells whether a line is complete. The last line of a killed process may be truncated. */
function isWhole(line: string): boolean {
  try {
    return typeof JSON.parse(line) === "object";
  } catch {
    return false;
  }
}

/** Returns the lines that were kept of server processes since the last call. */
export const takeKeptFailures = (): string[] => fromProcesses.splice(0);
