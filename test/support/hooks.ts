import type { Context } from "mocha";
import { closeServers, sharedServer } from "./server.ts";

/** Mocha root hooks. The shared server starts here, so that no test's own time pays for it. */
export const mochaHooks = {
  async beforeAll(this: Context): Promise<void> {
    this.timeout(60_000);
    await sharedServer();
  },
  afterAll: closeServers,
};
