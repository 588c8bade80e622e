import { migrations } from "../../../db/migrations/index.ts";

/**
 * The result of one check. `failed` means that a start or an upgrade would fail or lose data. The text of a warning
 * or failure includes the cure.
 */
export interface PreflightFinding {
  check: string;
  state: "ok" | "warning" | "failed";
  text: string;
}

/** Sends one statement to the database and resolves to the rows. */
export type PreflightQuery = <Row = Record<string, string>>(
  text: string,
  values?: readonly unknown[],
) => Promise<Row[]>;

/** Runs one check. Resolves to undefined when the check does not apply. */
export type PreflightCheck = (ask: PreflightQuery) => Promise<Omit<PreflightFinding, "check"> | undefined>;

export const okResult = (text: string) => ({ state: "ok" as const, text });
export const warningResult = (text: string) => ({ state: "warning" as const, text });
export const failedResult = (text: string) => ({ state: "failed" as const, text });

/** Runs checks one after the other. A check that throws counts as failed. */
export async function runChecks(
  checks: Record<string, PreflightCheck>,
  ask: PreflightQuery,
): Promise<PreflightFinding[]> {
  const findings: PreflightFinding[] = [];
  for (const [check, run] of Object.entries(checks)) {
    const found = await run(ask).catch((error: Error) => failedResult(error.message));
    if (found) findings.push({ check, ...found });
  }
  return findings;
}

const EXTENSIONS = migrations
  .flatMap(({ statements }) => statements)
  .flatMap((statement) => /^\s*create extension if not exists (\w+)/i.exec(statement)?.[1] ?? []);

/** Checks that a setting of the session has the wanted value. */
export const createSettingCheck =
  (name: string, wanted: string): PreflightCheck =>
  async (ask) => {
    const [row] = await ask(`select current_setting('${name}') as value`);
    const value = row?.["value"];
    return value === wanted
      ? okResult(`${name} is ${value}`)
      : failedResult(`${name} is ${value}; it has to be ${wanted}`);
  };

/**
 * Checks that every extension exists, or that PostgreSQL offers the extension and this role may create the extension.
 */
export const extensionsCheck: PreflightCheck = async (ask) => {
  const rows = await ask<{ name: string; there: boolean; may: boolean }>(
    `select a.name, a.installed_version is not null as there,
            has_database_privilege(current_database(), 'create') as may
       from pg_available_extensions a where a.name = any($1)`,
    [EXTENSIONS],
  );
  const absent = EXTENSIONS.filter((name) => !rows.some((row) => row.name === name));
  if (absent.length > 0)
    return failedResult(`PostgreSQL has no ${absent.join(", ")}; install its package postgresql-contrib`);
  const missing = rows.filter(({ there, may }) => !there && !may).map(({ name }) => name);
  if (missing.length > 0) {
    return failedResult(
      `this role may not create ${missing.join(", ")}: create them as a superuser, or grant create on the database`,
    );
  }
  return okResult(`${EXTENSIONS.join(", ")} are there or can be made`);
};
