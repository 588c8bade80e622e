import { setMaxListeners } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { openDatabase } from "../db/open.ts";
import { buildServerUrl } from "../formats/link.ts";
import { DAY_MS } from "../formats/time.ts";
import { flushRecordedReadAudits } from "./accounts/recorded-reads.ts";
import { runScheduledBackups } from "./admin/backup/schedule.ts";
import { startAdminSocket } from "./admin/socket.ts";
import { flushLastUsed } from "./auth/last-used.ts";
import type { Config } from "./config.ts";
import { createIngestion } from "./ingest/ingestion.ts";
import { createProjector } from "./ingest/observe/project/projector.ts";
import { listenGrpc } from "./ingest/otlp/grpc.ts";
import { checkClock } from "./jobs/clock.ts";
import { startJobs } from "./jobs/index.ts";
import {
  acceptAbsoluteTargets,
  createHttpServer,
  disableKeepAlive,
  drain,
  filterUpgradeRequests,
} from "./operations/http-server.ts";
import { requestListener } from "./request-listener.ts";
import { getPublicUrl, type Runtime } from "./runtime.ts";
import { loadServerSecret } from "./secret.ts";
import { isSocketUpgrade, startOutgoingStreams } from "./stream/index.ts";

export interface App {
  /** The server's address, such as `http://127.0.0.1:4000`. */
  url: string;
  runtime: Runtime;
  /** The port of OTLP over gRPC; undefined when gRPC is off. */
  grpcPort: number | undefined;
  /**
   * Makes readiness respond with 503 and ends each connection after its next response, so that load balancers
   * send requests elsewhere.
   */
  leave(): void;
  /** Stops accepting work, lets requests in flight finish for at most `graceMs`, and closes the database. */
  close(graceMs?: number): Promise<void>;
}

/** Maximum time for requests in flight when the server stops, in ms. */
export const DRAIN_MS = 10_000;
/** Number of database connections of one process when DATABASE_POOL is unset. */
const POOL = 10;
/** Retention of backups in ms when BACKUP_KEEP is unset. */
const KEEP_MS = 14 * DAY_MS;

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
  // Every job adds a listener to the signal, so a large number of listeners does not indicate a leak.
  setMaxListeners(0, stop.signal);
  const secret = await loadServerSecret(config).catch(closing);
  const projector = createProjector({ db, secret }, log, stop.signal);
  const runtime: Runtime = {
    config,
    db,
    log,
    projector,
    secret,
    publicUrl: getPublicUrl(config),
    leaving: left.signal,
    stopping: stop.signal,
  };
  const parts = createIngestion(runtime, {});
  const server = createHttpServer(requestListener(runtime, parts));
  const listening = await new Promise<AddressInfo>((resolve, reject) => {
    server.once("error", reject);
    server.listen(config.PORT, config.HOST, () => resolve(server.address() as AddressInfo));
  }).catch(closing);
  const grpc = await listenGrpc(parts).catch(async (error) => {
    server.close();
    return closing(error);
  });
  const stream = startOutgoingStreams(runtime, server);
  filterUpgradeRequests(server, isSocketUpgrade);
  acceptAbsoluteTargets(server);
  if (config.JOBS === "on") startJobs(runtime);
  const { BACKUP_EVERY: every, BACKUP_DIR: folder, BACKUP_KEEP: keep = KEEP_MS } = config;
  const backups = every !== undefined && folder !== undefined && runScheduledBackups(runtime, { every, folder, keep });
  // Waits for backups only during the grace period, because a single statement of a backup may take longer.
  const backupsEnd = (ms: number) => Promise.race([backups, sleep(ms, undefined, { ref: false })]);
  const closeAdmin = db.engine === "embedded" ? await startAdminSocket(runtime) : undefined;
  const url = buildServerUrl(config.HOST, listening.port);
  runtime.publicUrl = config.PUBLIC_URL ? runtime.publicUrl : url;
  const leave = () => {
    left.abort();
    disableKeepAlive(server);
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
    await flushLastUsed(db).catch((error) => log.warn({ err: error }, "last-used times of keys were not written"));
    await flushRecordedReadAudits(db).catch((error) =>
      log.warn({ err: error }, "reads of recordings were not written to the audit log"),
    );
    await db.close();
  };
  return { url, runtime, grpcPort: grpc?.port, leave, close };
}
