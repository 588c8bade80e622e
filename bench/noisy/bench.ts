import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownCluster } from "../../test/support/db/postgres.ts";
import { dearDocuments } from "../../test/support/graphql/dearest-documents.ts";
import { fillHostile } from "../../test/support/hostile/hostile-tenant.ts";
import { LISTENING, spawnServer } from "../../test/support/run/process.ts";
import { freshOrganization, type Tenant } from "../../test/support/server.ts";
import { postmasterOf } from "../support/postmaster.ts";
import { SECRET } from "../support/secret.ts";
import { besides } from "./besides.ts";
import { tableOf } from "./table.ts";

const SIZE = {
  issues: Number(process.env["BENCH_ROWS"] ?? 100),
  comments: 10,
  sessions: 1_000,
  events: 10_000,
  chain: 2_000,
  long: 20,
};
const OFF = {
  GRAPHQL_REQUESTS_PER_HOUR: "off",
  GRAPHQL_COMPLEXITY_PER_HOUR: "off",
  INGEST_RATE_REQUESTS: "off",
  INGEST_RATE_EVENTS: "off",
  LOGIN_THROTTLE: "off",
};

/** A server beside which things are measured. */
export interface Place {
  engine: "embedded" | "postgresql";
  /** Processes whose CPU time counts: the server and, if there is one, the database beside it. */
  pids: readonly number[];
  hostile: Tenant;
  /** Another organization, with a few issues and sessions. */
  other: Tenant;
  /** Ids of the hostile tenant by the name of a root field. */
  places: Readonly<Record<string, string>>;
}

/**
 * One tenant among others: prints the CPU time that a point takes at worst by root field over a hostile tenant's data, and what
 * another organization meets while that tenant asks what is dearest, on both engines. BENCH_ONLY=embedded|postgresql takes one of them.
 */
export async function benchNoisy(): Promise<void> {
  const only = process.env["BENCH_ONLY"];
  for (const engine of ["embedded", "postgresql"] as const) {
    if (only && only !== engine) continue;
    await (engine === "embedded" ? onEmbedded() : onPostgres());
  }
}

async function onEmbedded(): Promise<void> {
  const parent = mkdtempSync(join(tmpdir(), "trackway-bench-"));
  try {
    await measure("embedded", { DATA_DIR: join(parent, "data") });
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

async function onPostgres(): Promise<void> {
  const cluster = await ownCluster();
  try {
    await measure("postgresql", { DATABASE_URL: cluster.url, DATABASE_POOL: "8", JWT_SECRET: SECRET });
  } finally {
    cluster.remove();
  }
}

async function measure(engine: Place["engine"], env: Record<string, string>): Promise<void> {
  const server = spawnServer({ LOG_LEVEL: "info", TRACKWAY_BOOTSTRAP: "off", ...OFF, ...env });
  try {
    const [, url = ""] = await server.printed(LISTENING);
    const app = { url } as Parameters<typeof freshOrganization>[0];
    const [hostile, other] = [await freshOrganization(app), await freshOrganization(app)];
    const { sessionId, eventId } = await fillHostile(hostile, SIZE);
    await fillHostile(other, { issues: 2, comments: 2, sessions: 5, events: 200, chain: 5, long: 0 });
    console.log("filled", process.uptime());
    const database = env["DATABASE_URL"] ? [await postmasterOf(env["DATABASE_URL"])] : [];
    const places = { ...(await idsOf(hostile)), recordedSession: sessionId, recordedEvent: eventId };
    const place = { engine, pids: [Number(server.child.pid), ...database], hostile, other, places };
    const rows = await tableOf(place, dearDocuments(places));
    console.log(`CPU by root field, ${engine}`);
    console.table(rows.map(({ query, ...row }) => ({ ...row, query: query.slice(0, 90) })));
    console.log(`asking beside it`);
    const worst = rows.filter(({ points }) => points <= 10_000).map(({ query }) => query);
    const met = await besides(place, worst);
    console.table(met);
    console.log(JSON.stringify({ bench: "noisy", engine, rows, met }));
  } finally {
    await server.stop();
  }
}

/** An id for each root field that takes one. */
async function idsOf({ gql }: Tenant): Promise<Record<string, string>> {
  const lists = ["issues", "comments", "teams", "workflowStates", "users", "recordedFailureGroups"];
  const found = await gql(`{ ${lists.map((each) => `${each}(first: 1) { nodes { id } }`).join(" ")} }`);
  const ids = lists.flatMap((each) =>
    found[each].nodes[0] ? [[each.replace(/s$/, ""), found[each].nodes[0].id]] : [],
  );
  const { issue } = Object.fromEntries(ids);
  return { ...Object.fromEntries(ids), node: issue };
}
