import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { pino } from "pino";
import { type OpenOptions, openDatabase } from "../../db/open.ts";
import { mintIngestKey } from "../../server/auth/key.ts";
import { createProjector } from "../../server/ingest/observe/project/projector.ts";
import { LISTENING_LINE, type ServerProcess, spawnServer } from "../../test/support/run/process.ts";
import type { Ledger } from "./clients.ts";

/** The setting of a torture: a database, an ingest key, and the environment of the servers. */
export interface TorturePlace {
  url: string;
  key: string;
  organizationId: string;
  open: OpenOptions;
  env: Record<string, string>;
}

export interface VictimServer {
  server: ServerProcess;
  kill(): Promise<unknown>;
  /** Peak resident memory of the server, in MB. */
  peakMB(): number;
}

/**
 * Creates the tables and a key over a direct connection. `through` is the
 * database URL for the server, such as a proxy's.
 */
export async function preparePlace(
  open: Pick<OpenOptions, "url" | "dataDir">,
  through?: string,
): Promise<TorturePlace> {
  const options: OpenOptions = { ...open, poolSize: 2 };
  const { key, hash, last4 } = mintIngestKey();
  const organizationId = randomUUID();
  const db = await openDatabase(options);
  const text = `insert into "ingestKey" (hash, id, "organizationId", name, prefix, last4, "createdAt")
    values ($1, $2, $3, 'torture', 'sk_', $4, $5)`;
  await db.query({ text, values: [hash, randomUUID(), organizationId, last4, new Date()] });
  await db.close();
  const port = await freePort();
  const env = {
    PORT: String(port),
    DATA_DIR: open.dataDir,
    TRACKWAY_BOOTSTRAP: "off",
    INGEST_RATE_REQUESTS: "off",
    INGEST_RATE_EVENTS: "off",
    ...(open.url && {
      DATABASE_URL: through ?? open.url,
      JWT_SECRET: "a secret of the tortures, long enough to be one",
    }),
  };
  return { url: `http://127.0.0.1:${port}`, key, organizationId, open: options, env };
}

export async function startVictim({ env }: TorturePlace): Promise<VictimServer> {
  const server = spawnServer(env);
  await server.printed(LISTENING_LINE);
  return {
    server,
    kill: () => server.stop("SIGKILL"),
    peakMB() {
      const status = readFileSync(`/proc/${server.child.pid}/status`, "utf8");
      return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024);
    },
  };
}

/** The comparison of the accepted rows with the database. */
export interface Findings {
  accepted: number;
  missing: number;
  changed: number;
  doubled: number;
  /** Sessions of connectors whose event count is wrong. */
  miscounted: number;
}

/** Looks for every accepted id while the server is stopped. */
export async function verify({ open, organizationId }: TorturePlace, ledger: Ledger): Promise<Findings> {
  const db = await openDatabase(open);
  const stop = new AbortController();
  try {
    // A kill may have happened between an append and its fold.
    const projector = createProjector({ db, secret: new Uint8Array(32) }, pino({ level: "silent" }), stop.signal);
    while (!(await projector.catchUp(organizationId)));
    const [events, sessions, miscounted] = await Promise.all([
      db.query<{ id: string; args: string }>({
        text: "select event_id as id, args from recorded_event where organization_id = $1",
        values: [organizationId],
      }),
      db.query<{ id: string }>({
        text: "select session_id as id from recorded_session where organization_id = $1 and registered",
        values: [organizationId],
      }),
      db.query({ text: MISCOUNTED, values: [organizationId] }),
    ]);
    const stored = new Map(events.map(({ id, args }) => [id, args]));
    const registered = new Set(sessions.map(({ id }) => id));
    const accepted = [...ledger.accepted];
    return {
      accepted: accepted.length + ledger.sessions.size,
      missing:
        accepted.filter(([id]) => !stored.has(id)).length +
        [...ledger.sessions].filter((id) => !registered.has(id)).length,
      changed: accepted.filter(([id, args]) => stored.has(id) && stored.get(id) !== args).length,
      doubled: events.length - stored.size,
      miscounted: miscounted.length,
    };
  } finally {
    stop.abort();
    await db.close();
  }
}

const MISCOUNTED = `select s.session_id from recorded_session s cross join lateral (
    select count(*) as events, count(*) filter (where kind = 'tool') as tools from recorded_event e
    where e.organization_id = s.organization_id and e.session_id = s.session_id) e
  where s.organization_id = $1 and s.source is not null and (s.events, s.tool_calls) is distinct from (e.events, e.tools)`;

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
