import type { Context } from "mocha";
import { build } from "../../scripts/build.js";
import { scratchFolder } from "./scratch.ts";
import { leaksIn } from "./secrets.ts";
import { closeServers, logLines, sharedServer } from "./server.ts";
import { makeDatabase, worker } from "./worker.ts";

/** Once a run, before all files: processes that tests start run what is built, and leave no files behind. */
export async function mochaGlobalSetup(): Promise<void> {
  scratchFolder();
  await build();
}

/** Mocha root hooks, run around each file: several processes take one file after the other. */
export const mochaHooks = {
  /** The shared server starts here, so that no test's own time pays for it. */
  async beforeAll(this: Context): Promise<void> {
    this.timeout(60_000);
    await makeDatabase();
    await sharedServer();
  },
  /** The logs of this process are searched for every secret it minted. Its servers serve the next file too. */
  async afterAll(): Promise<void> {
    if (worker === undefined) await closeServers();
    const leaks = leaksIn(logLines);
    if (leaks.length > 0) throw new Error(`${leaks.length} log lines hold a secret, e.g. ${leaks[0]}`);
  },
};
