import { closeServers } from "./server.ts";

/** Mocha root hooks. */
export const mochaHooks = { afterAll: closeServers };
