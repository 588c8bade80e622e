import { connect } from "node:net";
import type pg from "pg";
import type { OpenOptions } from "../database.ts";
import { NODE_CHECK_CONNECTIONS, watchNodes } from "../distribution/nodes.ts";
import { isDistributed } from "../distribution/placement.ts";
import type { Engine } from "../engine.ts";
import { DatabaseOpenError } from "../errors/cannot-open.ts";
import { migrate } from "../migrations/index.ts";
import { createPool } from "../pool/pool.ts";
import type { CancelStatement } from "../statements/statement.ts";
import { createPostgresWakeNotifier } from "../wake/postgres.ts";
import { buildClientSettings, withClient } from "./connect.ts";
import { checkPooler } from "./pooler.ts";

/** Oldest supported major version. */
export const MIN_POSTGRES_MAJOR = 15;

/** Connects to PostgreSQL and migrates the database. @throws DatabaseOpenError */
export async function openPostgres(options: OpenOptions & { url: string }): Promise<Omit<Engine, "warn">> {
  const directUrl = options.directUrl ?? options.url;
  const variable = options.directUrl ? "DATABASE_DIRECT_URL" : "DATABASE_URL";
  const server = await withClient(directUrl, variable, async (client) => {
    const major = await checkVersion(client, variable);
    // Limits for this connection: a frozen server with the migration lock must not prevent other servers from starting.
    await client.query(
      "set lock_timeout = '60s'; set idle_session_timeout = '30s'; " +
        "set idle_in_transaction_session_timeout = '30s'",
    );
    await migrate(client);
    return { major, distributed: await isDistributed(client) };
  });
  await checkPooler(options.url);

  const watch = server.distributed
    ? await watchNodes(
        createPool(buildClientSettings(options.url), { size: NODE_CHECK_CONNECTIONS, cancel, server }),
        options.warn ?? process.emitWarning,
      )
    : undefined;
  const pool = createPool(buildClientSettings(options.url), { size: options.poolSize, cancel, server, watch });
  // Health checks have a separate connection, so that a health check never waits for a busy pool.
  const probes = createPool(buildClientSettings(options.url), { size: 1, cancel, server });
  const wake = createPostgresWakeNotifier(buildClientSettings(directUrl));
  return {
    name: "postgresql",
    pool,
    probes,
    wake,
    signOfLifeMs: 1_000,
    watch,
    async close() {
      await Promise.all([wake.close(), pool.end(), probes.end(), watch?.close()]);
    },
  };
}

/** Returns the major version. @throws DatabaseOpenError for a version that is too old */
async function checkVersion(client: pg.Client, variable: string): Promise<number> {
  const { rows } = await client.query<{ version: string }>("select current_setting('server_version') as version");
  const version = rows[0]?.version ?? "";
  const major = Number.parseInt(version, 10);
  if (major < MIN_POSTGRES_MAJOR) {
    throw new DatabaseOpenError(
      `${variable}: PostgreSQL ${version} is too old; Trackway needs ${MIN_POSTGRES_MAJOR} or newer`,
    );
  }
  return major;
}

/**
 * Sends PostgreSQL's cancel request over a separate connection, as the protocol requires. Poolers forward the request.
 */
const cancel: CancelStatement = (client) => {
  const { processID, secretKey, host, port } = client as unknown as CancelTarget;
  const request = Buffer.alloc(16);
  [16, 80_877_102, processID, secretKey].forEach((field, index) => {
    request.writeInt32BE(field, index * 4);
  });
  const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.on("error", () => {}).setTimeout(3_000, () => socket.destroy());
  socket.end(request);
};

/** Members of the driver's connection that its types do not declare. */
interface CancelTarget {
  processID: number;
  secretKey: number;
  host: string;
  port: number;
}
