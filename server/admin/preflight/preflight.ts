import { parseArgs } from "node:util";
import { DatabaseOpenError } from "../../../db/errors/cannot-open.ts";
import type { Config } from "../../config.ts";
import { inputError } from "../../errors.ts";
import { getUsageText } from "../usage.ts";
import { checkEmbedded } from "./embedded.ts";
import type { PreflightFinding } from "./finding.ts";
import { checkPostgres } from "./postgres.ts";

/** An upgrade without downtime runs at least two servers: the old server and its replacement. */
const SERVERS = 2;
const MARKS = { ok: "ok     ", warning: "warning", failed: "FAILED " };

/**
 * Reports problems that would stop a start or an upgrade of this build on the configured database, and changes
 * nothing. A failed check sets the exit code to 1.
 * @returns the report: one check per line, or with `--json` `{ok, findings}`. @throws inputError
 */
export async function preflight(config: Config, args: string[]): Promise<string> {
  const { json, servers } = optionsOf(args);
  const findings = await findingsFor(config, servers);
  const failures = findings.filter(({ state }) => state === "failed");
  if (failures.length > 0) process.exitCode = 1;
  if (json) return JSON.stringify({ ok: failures.length === 0, findings }, null, 2);
  const lines = findings.map(({ check, state, text }) => `${MARKS[state]} ${check}: ${text}`);
  const end = failures.length > 0 ? `${failures.length} failed; a start would not go well.` : "Nothing stops a start.";
  return [...lines, "", end].join("\n");
}

const findingsFor = (config: Config, servers: number): Promise<PreflightFinding[]> =>
  config.DATABASE_URL
    ? checkPostgres(config, servers).catch((error: Error) => {
        if (error instanceof DatabaseOpenError)
          return [{ check: "database", state: "failed" as const, text: error.message }];
        throw error;
      })
    : checkEmbedded(config.DATA_DIR);

function optionsOf(args: string[]): { json: boolean; servers: number } {
  try {
    const { values } = parseArgs({ args, options: { json: { type: "boolean" }, servers: { type: "string" } } });
    const { json = false, servers = String(SERVERS) } = values;
    if (!/^[1-9]\d{0,3}$/.test(servers)) throw new TypeError("--servers takes a whole number, 1 to 9999");
    return { json, servers: Number(servers) };
  } catch (error) {
    throw inputError(`${(error as Error).message}\n\n${getUsageText("preflight")}`);
  }
}
