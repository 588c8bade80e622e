import type { Context } from "mocha";
import { leaksIn, secretsNoted } from "./secrets.ts";
import { closeServers, logLines, sharedServer } from "./server.ts";

/** Mocha root hooks. The logs of the whole run are searched for every secret it minted. */
export const mochaHooks = {
  /** The shared server starts here, so that no test's own time pays for it. */
  async beforeAll(this: Context): Promise<void> {
    this.timeout(60_000);
    await sharedServer();
  },
  async afterAll(): Promise<void> {
    await closeServers();
    const leaks = leaksIn(logLines);
    if (leaks.length > 0) throw new Error(`${leaks.length} log lines hold a secret, e.g. ${leaks[0]}`);
    if (process.env["CI"])
      console.log(`  ${logLines.length} log lines searched for ${secretsNoted()} secrets: none found`);
  },
};
