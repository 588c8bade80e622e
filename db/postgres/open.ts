import { connect } from "node:net";
import type pg from "pg";
import type { OpenOptions } from "../database.ts";
import { createNodes } from "../distribution/nodes.ts";
import { isDistributed } from "../distribution/placement.ts";
import type { Engine } from "../engine.ts";
import { CannotOpen } from "../errors/cannot-open.ts";
import { migrate } from "../migrations/index.ts";
import { createPool } from "../pool/pool.ts";
import type { Cancel } from "../statements/statement.ts";
import { postgresWake } from "../wake/postgres.ts";
import { settings, withClient } from "./connect.ts";

/** The oldest major version that serves. */
export const OLDEST = 15;

/** PostgreSQL, migrated and ready. @throws CannotOpen */
export async function openPostgres(options: OpenOptions & { url: string }): Promise<Omit<Engine, "warn">> {
  const directUrl = options.directUrl ?? options.url;
  const variable = options.directUrl ? "DATABASE_DIRECT_URL" : "DATABASE_URL";
  const server = await withClient(directUrl, variable, async (client) => {
    const major = await checkVersion(client, variable);
    // Whoever was frozen with the lock of migrations must not keep everyone else from starting.
    await client.query(
      "set lock_timeout = '60s'; set idle_session_timeout = '30s'; " +
        "set idle_in_transaction_session_timeout = '30s'",
    );
    await migrate(client);
    return { major, distributed: await isDistributed(client) };
  });
  if (directUrl !== options.url) await withClient(options.url, "DATABASE_URL", (client) => client.query("select 1"));

  const pool = createPool(settings(options.url), { size: options.poolSize, cancel, server });
  // However many statements hold the pool, health is asked at once.
  const probes = createPool(settings(options.url), { size: 1, cancel, server });
  const wake = postgresWake(settings(directUrl));
  return {
    name: "postgresql",
    pool,
    probes,
    wake,
    signOfLifeMs: 1_000,
    ...(server.distributed && { nodes: createNodes(pool) }),
    async close() {
      await Promise.all([wake.close(), pool.end(), probes.end()]);
    },
  };
}

/** Answers the major version. */
async function checkVersion(client: pg.Client, variable: string): Promise<number> {
  const { rows } = await client.query<{ version: string }>("select current_setting('server_version') as version");
  const version = rows[0]?.version ?? "";
  const major = Number.parseInt(version, 10);
  if (major < OLDEST) {
    throw new CannotOpen(`${variable}: PostgreSQL ${version} is too old; Trackway needs ${OLDEST} or newer`);
  }
  return major;
}

/** PostgreSQL's cancel request, on a connection of its own as the protocol wants; poolers pass it on. */
const cancel: Cancel = (client) => {
  const { processID, secretKey, host, port } = client as unknown as CancelTarget;
  const request = Buffer.alloc(16);
  [16, 80_877_102, processID, secretKey].forEach((field, index) => {
    request.writeInt32BE(field, index * 4);
  });
  const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.on("error", () => {}).setTimeout(3_000, () => socket.destroy());
  socket.end(request);
};

/** Members of the driver's connection that its types leave out. */
interface CancelTarget {
  processID: number;
  secretKey: number;
  host: string;
  port: number;
}
