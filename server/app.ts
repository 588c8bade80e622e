import { setMaxListeners } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { openDatabase } from "../db/open.ts";
import { flushReads } from "./accounts/recorded-reads.ts";
import { keepBackups } from "./admin/backup/schedule.ts";
import { startAdminSocket } from "./admin/socket.ts";
import { flushLastUsed } from "./auth/last-used.ts";
import type { Config } from "./config.ts";
import { ingestion } from "./ingest/ingestion.ts";
import { createProjector } from "./ingest/observe/project/projector.ts";
import { listenGrpc } from "./ingest/otlp/grpc.ts";
import { checkClock } from "./jobs/clock.ts";
import { startJobs } from "./jobs/index.ts";
import { createHttpServer, drain, endKeptConnections, limitUpgrades } from "./operations/http-server.ts";
import { requestListener } from "./request-listener.ts";
import { addressOf, publicUrlOf, type Runtime } from "./runtime.ts";
import { loadSecret } from "./secret.ts";
import { opensSocket, startStream } from "./stream/index.ts";

/** A running server. */
export interface App {
  /** The address that it listens on, e.g. http://127.0.0.1:4000. */
  url: string;
  runtime: Runtime;
  /** The port of OTLP over gRPC, where it is spoken. */
  grpcPort: number | undefined;
  /** Readiness turns 503, and connections end with their next answer: what routes sends new requests elsewhere. */
  leave(): void;
  /** Stops taking work, lets requests in flight finish (`graceMs` at most), closes the database. */
  close(graceMs?: number): Promise<void>;
}

/** The longest that requests in flight may take when the server stops, in ms. */
export const DRAIN_MS = 10_000;
/** Connections of one process unless DATABASE_POOL says otherwise. */
const POOL = 10;

/**
 * Opens the database, mounts every API and listens.
 * @throws when the database cannot be opened or the port is taken.
 */
export async function startApp(config: Config, log: Logger): Promise<App> {
  const db = await openDatabase({
    url: config.DATABASE_URL,
    directUrl: config.DATABASE_DIRECT_URL,
    dataDir: config.DATA_DIR,
    poolSize: config.DATABASE_POOL ?? POOL,
    warn: (message) => log.warn(message),
  });
  const closing = async (error: unknown) => {
    await db.close();
    throw error;
  };
  await checkClock(db).catch(closing);
  const [stop, left] = [new AbortController(), new AbortController()];
  // Each job waits for it: no number of listeners is a leak.
  setMaxListeners(0, stop.signal);
  const secret = await loadSecret(config).catch(closing);
  const projector = createProjector({ db, secret }, log, stop.signal);
  const runtime: Runtime = {
    config,
    db,
    log,
    projector,
    secret,
    publicUrl: publicUrlOf(config),
    leaving: left.signal,
    stopping: stop.signal,
  };
  const parts = ingestion(runtime, {});
  const server = createHttpServer(requestListener(runtime, parts));
  const listening = await new Promise<AddressInfo>((resolve, reject) => {
    server.once("error", reject);
    server.listen(config.PORT, config.HOST, () => resolve(server.address() as AddressInfo));
  }).catch(closing);
  const grpc = await listenGrpc(parts).catch(async (error) => {
    server.close();
    return closing(error);
  });
  const stream = startStream(runtime, server);
  limitUpgrades(server, opensSocket);
  if (config.JOBS === "on") startJobs(runtime);
  const { BACKUP_EVERY: every, BACKUP_DIR: folder, BACKUP_KEEP: keep } = config;
  const backups = every !== undefined && folder !== undefined && keepBackups(runtime, { every, folder, keep });
  // A statement of a backup may take longer than the server has.
  const backupsEnd = (ms: number) => Promise.race([backups, sleep(ms, undefined, { ref: false })]);
  const closeAdmin = db.engine === "embedded" ? await startAdminSocket(runtime) : undefined;
  const url = addressOf(config.HOST, listening.port);
  runtime.publicUrl = config.PUBLIC_URL ? runtime.publicUrl : url;
  const leave = () => {
    left.abort();
    endKeptConnections(server);
  };
  const close = async (graceMs = DRAIN_MS) => {
    leave();
    stop.abort();
    await Promise.all([
      stream.close(),
      drain(server, graceMs),
      grpc?.close(graceMs),
      closeAdmin?.(),
      backupsEnd(graceMs),
    ]);
    await projector.settled();
    await flushLastUsed(db).catch((error) => log.warn({ err: error }, "last-used times not written"));
    await flushReads(db).catch((error) => log.warn({ err: error }, "reads of recordings not written"));
    await db.close();
  };
  return { url, runtime, grpcPort: grpc?.port, leave, close };
}
