/** The jobs that the tests of this file make fail. */
const expected = new Set<string>();

/** Allows a job to log failures until the tests of this file end. Without a logged failure the file fails too. */
export const expectJobFailure = (job: string): unknown => expected.add(job);

interface LogLine {
  level?: number;
  job?: string;
  msg?: string;
  err?: { type?: string; message?: string };
}

const WARN = 40;

/** Lists failures of jobs in log lines that no test asked for, and expected failures that did not come. */
export function wrongFailuresIn(lines: readonly string[]): string[] {
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
 * Keeps the job failures that a server process printed. A process whose database is away on purpose may report that: the
 * error is `Unavailable`. The line that sums up a job of several parts has no error: each part has a line of its own.
 */
export function keepFailures(output: string): void {
  const lines = output.split("\n").filter((line) => line.startsWith("{") && line.includes('"job":'));
  fromProcesses.push(
    ...lines.filter((line) => isWhole(line) && !["Unavailable", undefined].includes(JSON.parse(line).err?.type)),
  );
}

/** The last line of a killed process may be cut. */
function isWhole(line: string): boolean {
  try {
    return typeof JSON.parse(line) === "object";
  } catch {
    return false;
  }
}

/** The lines kept of server processes since the last call. */
export const takeKept = (): string[] => fromProcesses.splice(0);
