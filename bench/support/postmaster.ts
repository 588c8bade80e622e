import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runSql } from "../../test/support/db/postgres.ts";

/** The path of the PID file of the postmaster behind a URL, on this machine. */
export async function findPidFile(url: string): Promise<string> {
  const [row] = await runSql(url, "select current_setting('data_directory') as directory");
  return join(String(row?.["directory"]), "postmaster.pid");
}

/** The process id of the postmaster behind a URL, on this machine. */
export const findPostmaster = async (url: string): Promise<number> =>
  Number.parseInt(readFileSync(await findPidFile(url), "utf8"), 10);
