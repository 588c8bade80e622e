import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runSql } from "../../test/support/db/postgres.ts";

/** The path at which the postmaster behind a URL, on this machine, keeps its process id. */
export async function pidFileOf(url: string): Promise<string> {
  const [row] = await runSql(url, "select current_setting('data_directory') as directory");
  return join(String(row?.["directory"]), "postmaster.pid");
}

/** The process id of the postmaster behind a URL, on this machine. */
export const postmasterOf = async (url: string): Promise<number> =>
  Number.parseInt(readFileSync(await pidFileOf(url), "utf8"), 10);
