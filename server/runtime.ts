import type { Logger } from "pino";
import type { Database } from "../db/open.ts";
import { buildServerUrl } from "../formats/link.ts";
import type { Config } from "./config.ts";

/** Builds events from the observations of connectors, after their transactions have committed. */
export interface EventProjector {
  /** Schedules a fold of an organization's new observations. Consecutive requests share one fold. */
  soon(organizationId: string): void;
  /**
   * Folds the observations committed before the call, for at most a second.
   * Resolves to false when observations remain.
   */
  catchUp(organizationId: string): Promise<boolean>;
}

/** The dependencies of every API. */
export interface Runtime {
  config: Config;
  db: Database;
  log: Logger;
  /** HMAC key of access tokens, and root of the keys that encrypt secrets at rest. */
  secret: Uint8Array;
  /** The server's public address, without a trailing slash. */
  publicUrl: string;
  /** Aborted when the server is asked to stop: readiness responds with 503, and other requests are served as before. */
  leaving: AbortSignal;
  /** Aborted SHUTDOWN_DELAY after `leaving`. No new work begins afterwards. */
  stopping: AbortSignal;
  projector: EventProjector;
}

/** The server's public address according to the settings. */
export const getPublicUrl = ({ PUBLIC_URL, HOST, PORT }: Config): string => PUBLIC_URL ?? buildServerUrl(HOST, PORT);

/**
 * Checks whether targets that owners configure may have private network addresses. The default is true only with the
 * embedded database on a loopback host, which indicates a personal machine.
 */
export function allowsPrivateAddresses({ config, db }: Pick<Runtime, "config" | "db">): boolean {
  const local = db.engine === "embedded" && /^(127\.|localhost$|::1$)/.test(config.HOST);
  return (config.WEBHOOK_ALLOW_PRIVATE ?? (local ? "on" : "off")) === "on";
}
