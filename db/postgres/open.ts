import { connect } from "node:net";
import pg from "pg";
import { CannotOpen } from "../cannot-open.ts";
import type { OpenOptions } from "../database.ts";
import type { Engine } from "../engine.ts";
import { migrate } from "../migrations/migrate.ts";
import { createPool } from "../pool/pool.ts";
import type { Cancel } from "../statements/statement.ts";
import { postgresWake } from "../wake/postgres.ts";

const OLDEST = 15;

/** PostgreSQL, migrated and ready. @throws CannotOpen */
export async function openPostgres(options: OpenOptions & { url: string }): Promise<Engine> {
  const directUrl = options.directUrl ?? options.url;
  const variable = options.directUrl ? "DATABASE_DIRECT_URL" : "DATABASE_URL";
  const major = await withClient(directUrl, variable, async (client) => {
    const version = await checkVersion(client, variable);
    // Whoever was frozen with the lock of migrations must not keep everyone else from starting.
    await client.query(
      "set lock_timeout = '60s'; set idle_session_timeout = '30s'; " +
        "set idle_in_transaction_session_timeout = '30s'",
    );
    await migrate(client);
    return version;
  });
  if (directUrl !== options.url) await withClient(options.url, "DATABASE_URL", (client) => client.query("select 1"));

  const pool = createPool(settings(options.url), { size: options.poolSize, cancel, major });
  const wake = postgresWake(settings(directUrl));
  return {
    name: "postgresql",
    pool,
    wake,
    signOfLifeMs: 1_000,
    async close() {
      await Promise.all([wake.close(), pool.end()]);
    },
  };
}

/**
 * The driver's settings for a URL. The time zone rides on the start-up message: as a SET it would be session state.
 * The read time-out is the last resort against a network that swallows packets; everything else ends sooner.
 */
function settings(url: string): pg.ClientConfig {
  const parsed = new URL(url);
  const options = [parsed.searchParams.get("options"), "-c TimeZone=UTC"].filter(Boolean).join(" ");
  parsed.searchParams.delete("options");
  return {
    connectionString: parsed.href,
    options,
    application_name: "trackway",
    connectionTimeoutMillis: 3_000,
    query_timeout: 65_000,
    keepAlive: true,
  };
}

/** Runs `work` over a connection of its own and turns a failure into one line that names the variable and the cure. */
async function withClient<T>(url: string, variable: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...settings(url), query_timeout: undefined });
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    if (error instanceof CannotOpen) throw error;
    const reason = error instanceof Error ? error.message || String(Reflect.get(error, "code")) : String(error);
    throw new CannotOpen(
      `${variable}: PostgreSQL does not serve ${withoutPassword(url)} (${reason}); start it or correct the URL`,
      { cause: error },
    );
  } finally {
    await client.end().catch(() => {});
  }
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

/** The URL as it may be shown: passwords stand before the host or, rarely, among the parameters. */
function withoutPassword(url: string): string {
  const parsed = new URL(url);
  parsed.password = "";
  parsed.search = "";
  return parsed.href;
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

/** What the driver knows of a connection but its types do not tell. */
interface CancelTarget {
  processID: number;
  secretKey: number;
  host: string;
  port: number;
}
