import type { Logger } from "pino";
import type { Database } from "../db/open.ts";
import type { Config } from "./config.ts";

/** Makes events of the observations that connectors appended, behind their commits. */
export interface Projector {
  /** Folds what an organization appended, soon: requests that follow one another share the work. */
  soon(organizationId: string): void;
  /** Folds what was committed before the call, for at most a second. Answers false when something is left. */
  catchUp(organizationId: string): Promise<boolean>;
}

/** The parts that every API is made with. */
export interface Runtime {
  config: Config;
  db: Database;
  log: Logger;
  /** HMAC key of access tokens and the root of the keys that encrypt secrets at rest. */
  secret: Uint8Array;
  /** The address of the server as seen from outside, without a trailing slash. */
  publicUrl: string;
  /** Aborted when the server is asked to stop: readiness is 503, and everything is served as before. */
  leaving: AbortSignal;
  /** Aborted when that has lasted for SHUTDOWN_DELAY: no new work begins after it. */
  stopping: AbortSignal;
  projector: Projector;
}

/** An address of IPv6 needs brackets, since a port follows. */
export const addressOf = (host: string, port: number): string =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}`;

/** The address of the server as the settings say it. */
export const publicUrlOf = ({ PUBLIC_URL, HOST, PORT }: Config): string =>
  PUBLIC_URL?.replace(/\/$/, "") ?? addressOf(HOST, PORT);

/**
 * Tells whether targets that owners name may stand at addresses that are not public. On by default only where the embedded
 * database and loopback say that this is someone's own machine.
 */
export function allowsPrivate({ config, db }: Pick<Runtime, "config" | "db">): boolean {
  const local = db.engine === "embedded" && /^(127\.|localhost$|::1$)/.test(config.HOST);
  return (config.WEBHOOK_ALLOW_PRIVATE ?? (local ? "on" : "off")) === "on";
}
