import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net";
import type { Context } from "mocha";
import { build } from "../../../scripts/build.js";
import { collectStatements, writeStatements } from "../db/collect-statements.ts";
import { repairNewOrganizations } from "../db/derived.ts";
import { createEmptyDatabase } from "../db/empty-database.ts";
import { createWorkerDatabase, workerId } from "../db/worker.ts";
import { closeMcp } from "../mcp.ts";
import { closeOwnServers, closeServers, logLines, startSharedServer } from "../server.ts";
import { findWrongFailures, takeKeptFailures } from "./job-failures.ts";
import { findRoomyFolder, redirectTemporaryFiles } from "./scratch.ts";
import { findLeaks } from "./secrets.ts";

// Node.js stops trying each address of a name with two addresses after 250 ms. A busy machine needs longer to connect
// to loopback.
setDefaultAutoSelectFamilyAttemptTimeout(10_000);

collectStatements();

/**
 * Runs once before all files: processes that tests start run compiled code and leave no files behind, and servers
 * start with a copy of an empty database.
 */
export async function mochaGlobalSetup(): Promise<void> {
  redirectTemporaryFiles(findRoomyFolder());
  await Promise.all([build(), createEmptyDatabase()]);
}

/** Mocha root hooks, which run around each file. Several processes run one file after the other. */
export const mochaHooks = {
  /** Starts the shared server here, so that the start does not count as the time of a test. */
  async beforeAll(this: Context): Promise<void> {
    await createWorkerDatabase();
    await startSharedServer();
  },
  /** Appends the cause to "fetch failed", because mocha prints only the message. */
  afterEach(this: Context): void {
    const cause = this.currentTest?.err?.cause;
    if (cause) console.error(`${this.currentTest?.fullTitle()}: because of`, cause);
  },
  /**
   * Checks the logs and the data after each file. The logs of this process must contain no secret and no unexpected
   * failure of a job. Each derived value must be equal to the value computed from its source rows, whichever
   * interface the tests used. The shared server keeps running for the next file.
   */
  async afterAll(this: Context): Promise<void> {
    await closeMcp();
    const repaired = await repairNewOrganizations();
    await closeOwnServers();
    if (workerId === undefined) await closeServers();
    writeStatements();
    const lines = logLines.splice(0);
    const failures = findWrongFailures([...lines, ...takeKeptFailures()]);
    const leaks = findLeaks(lines);
    if (Object.keys(repaired).length > 0) throw new Error(`derived values are wrong: ${JSON.stringify(repaired)}`);
    if (failures.length > 0) throw new Error(`jobs failed: ${failures.join("; ")}`);
    if (leaks.length > 0) throw new Error(`${leaks.length} log lines hold a secret, e.g. ${leaks[0]}`);
  },
};
