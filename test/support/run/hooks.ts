import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net";
import type { Context } from "mocha";
import { build } from "../../../scripts/build.js";
import { repairNew } from "../db/derived.ts";
import { makeEmptyDatabase } from "../db/empty-database.ts";
import { makeDatabase, worker } from "../db/worker.ts";
import { closeMcp } from "../mcp.ts";
import { closeOwnServers, closeServers, logLines, sharedServer } from "../server.ts";
import { takeKept, wrongFailuresIn } from "./job-failures.ts";
import { roomyFolder, scratchFolder } from "./scratch.ts";
import { leaksIn } from "./secrets.ts";

// Node gives up each address of a name with two after 250 ms, and a busy machine takes longer to connect to itself.
setDefaultAutoSelectFamilyAttemptTimeout(10_000);

/** Once a run, before all files: processes that tests start run what is built and leave no files behind, and servers begin with an empty database. */
export async function mochaGlobalSetup(): Promise<void> {
  scratchFolder(roomyFolder());
  await Promise.all([build(), makeEmptyDatabase()]);
}

/** Mocha root hooks, run around each file: several processes take one file after the other. */
export const mochaHooks = {
  /** The shared server starts here, so that no test's own time pays for it. */
  async beforeAll(this: Context): Promise<void> {
    this.timeout(180_000);
    await makeDatabase();
    await sharedServer();
  },
  /** "fetch failed" says nothing: what it failed of is its cause, which mocha leaves out. */
  afterEach(this: Context): void {
    const cause = this.currentTest?.err?.cause;
    if (cause) console.error(`${this.currentTest?.fullTitle()}: because of`, cause);
  },
  /**
   * The logs of this process are searched for every secret it minted, and for jobs that failed, and whatever the tests wrote through whichever
   * interface, each derived value has to be what it is derived from. The shared server serves the next file too.
   */
  async afterAll(this: Context): Promise<void> {
    this.timeout(180_000);
    await closeMcp();
    const repaired = await repairNew();
    await closeOwnServers();
    if (worker === undefined) await closeServers();
    const lines = logLines.splice(0);
    const failures = wrongFailuresIn([...lines, ...takeKept()]);
    const leaks = leaksIn(lines);
    if (Object.keys(repaired).length > 0) throw new Error(`derived values are wrong: ${JSON.stringify(repaired)}`);
    if (failures.length > 0) throw new Error(`jobs failed: ${failures.join("; ")}`);
    if (leaks.length > 0) throw new Error(`${leaks.length} log lines hold a secret, e.g. ${leaks[0]}`);
  },
};
