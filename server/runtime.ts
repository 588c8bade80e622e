import type { Logger } from "pino";
import type { Database } from "../db/open.ts";
import type { Config } from "./config.ts";

/** The parts that every API is made with. */
export interface Runtime {
  config: Config;
  db: Database;
  log: Logger;
  /** HMAC key of access tokens and the root of the keys that encrypt secrets at rest. */
  secret: Uint8Array;
  /** The address of the server as seen from outside, without a trailing slash. */
  publicUrl: string;
  /** Aborted when the server is asked to stop: no new work begins after it. */
  stopping: AbortSignal;
}
