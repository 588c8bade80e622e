/** The outcome of one check: `failed` stops a start or an upgrade, or loses data; a text that is not `ok` says the cure. */
export interface Finding {
  check: string;
  state: "ok" | "warning" | "failed";
  text: string;
}

/** Sends one statement to the database and resolves to its rows. */
export type Ask = <Row = Record<string, string>>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** One check: what it found, or nothing where it does not apply. */
export type Check = (ask: Ask) => Promise<Omit<Finding, "check"> | undefined>;

export const ok = (text: string) => ({ state: "ok" as const, text });
export const warning = (text: string) => ({ state: "warning" as const, text });
export const failed = (text: string) => ({ state: "failed" as const, text });

/** Runs checks one after the other; one that throws has failed. */
export async function findingsOf(checks: Record<string, Check>, ask: Ask): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [check, run] of Object.entries(checks)) {
    const found = await run(ask).catch((error: Error) => failed(error.message));
    if (found) findings.push({ check, ...found });
  }
  return findings;
}
