import { leaksIn, secretsNoted } from "./secrets.ts";
import { closeServers, logLines } from "./server.ts";

/** Mocha root hooks. The logs of the whole run are searched for every secret it minted. */
export const mochaHooks = {
  async afterAll() {
    await closeServers();
    const leaks = leaksIn(logLines);
    if (leaks.length > 0) throw new Error(`${leaks.length} log lines hold a secret, e.g. ${leaks[0]}`);
    if (process.env["CI"])
      console.log(`  ${logLines.length} log lines searched for ${secretsNoted()} secrets: none found`);
  },
};
