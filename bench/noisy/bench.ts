import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startOwnCluster } from "../../test/support/db/postgres.ts";
import { generateExpensiveDocuments } from "../../test/support/graphql/dearest-documents.ts";
import { fillHostile } from "../../test/support/hostile/hostile-tenant.ts";
import { LISTENING_LINE, spawnServer } from "../../test/support/run/process.ts";
import { createOrganization, type Tenant } from "../../test/support/server.ts";
import { findPostmaster } from "../support/postmaster.ts";
import { SECRET } from "../support/secret.ts";
import { measureUnderAttack } from "./attacks.ts";
import { measureOtherTenant } from "./besides.ts";
import { findExpensiveDocuments } from "./table.ts";

const SIZE = {
  issues: Number(process.env["BENCH_ROWS"] ?? 100),
  comments: 10,
  sessions: 1_000,
  events: 10_000,
  chain: 2_000,
  long: 20,
};
const FEW = { issues: 2, comments: 2, sessions: 5, events: 200, chain: 5, long: 0 };
const OFF = {
  GRAPHQL_REQUESTS_PER_HOUR: "off",
  GRAPHQL_COMPLEXITY_PER_HOUR: "off",
  INGEST_RATE_REQUESTS: "off",
  INGEST_RATE_EVENTS: "off",
  LOGIN_THROTTLE: "off",
};

export interface Place {
  engine: "embedded" | "postgresql";
  /** Processes whose CPU time counts: the server and, if any, a separate database. */
  pids: readonly number[];
  hostile: Tenant;
  /** Another organization, with some issues and sessions. */
  other: Tenant;
  /** Ids of the hostile tenant, by the name of a root field. */
  places: Readonly<Record<string, string>>;
}

/**
 * Measures one tenant's effect on other tenants, on both engines. Prints the maximum CPU time per point of each root
 * field over a hostile tenant's data, and the response times of another organization while the hostile tenant sends
 * the most expensive documents. Then measures the same during attacks, under the default limits.
 * BENCH_ONLY=embedded|postgresql selects an engine, BENCH_PART=documents|attacks selects a half.
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
    await measureBoth("embedded", (part) => ({ DATA_DIR: join(parent, part) }));
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

async function onPostgres(): Promise<void> {
  const cluster = await startOwnCluster();
  try {
    const env = { DATABASE_URL: cluster.url, DATABASE_POOL: "8", JWT_SECRET: SECRET };
    await measureBoth("postgresql", () => env);
  } finally {
    cluster.remove();
  }
}

async function measureBoth(engine: Place["engine"], envOf: (part: string) => Record<string, string>): Promise<void> {
  const part = process.env["BENCH_PART"];
  if (part !== "attacks") await measure(engine, envOf("documents"));
  if (part !== "documents") await measureAttacks(engine, envOf("attacks"));
}

/** Measures the effect of attacks on a server with its default limits. */
async function measureAttacks(engine: Place["engine"], env: Record<string, string>): Promise<void> {
  const server = spawnServer({ ...QUIET, ...env });
  try {
    const [, url = ""] = await server.printed(LISTENING_LINE);
    const app = { url } as Parameters<typeof createOrganization>[0];
    const [hostile, other] = [await createOrganization(app), await createOrganization(app)];
    for (const tenant of [hostile, other]) await fillHostile(tenant, FEW);
    const met = await measureUnderAttack({ hostile, other });
    console.log(`beside attacks, ${engine}`);
    console.table(met);
    console.log(JSON.stringify({ bench: "noisy attacks", engine, met }));
  } finally {
    await server.stop();
  }
}

const QUIET = { LOG_LEVEL: "info", TRACKWAY_BOOTSTRAP: "off" };

async function measure(engine: Place["engine"], env: Record<string, string>): Promise<void> {
  const server = spawnServer({ ...QUIET, ...OFF, ...env });
  try {
    const [, url = ""] = await server.printed(LISTENING_LINE);
    const app = { url } as Parameters<typeof createOrganization>[0];
    const [hostile, other] = [await createOrganization(app), await createOrganization(app)];
    const { sessionId, eventId } = await fillHostile(hostile, SIZE);
    await fillHostile(other, FEW);
    console.log("filled", process.uptime());
    const database = env["DATABASE_URL"] ? [await findPostmaster(env["DATABASE_URL"])] : [];
    const places = { ...(await idsOf(hostile)), recordedSession: sessionId, recordedEvent: eventId };
    const place = { engine, pids: [Number(server.child.pid), ...database], hostile, other, places };
    const rows = await findExpensiveDocuments(place, generateExpensiveDocuments(places));
    console.log(`CPU by root field, ${engine}`);
    console.table(rows.map(({ query, ...row }) => ({ ...row, query: query.slice(0, 90) })));
    console.log(`asking beside it`);
    const worst = rows.filter(({ points }) => points <= 10_000).map(({ query }) => query);
    const met = await measureOtherTenant(place, worst);
    console.table(met);
    console.log(JSON.stringify({ bench: "noisy", engine, rows, met }));
  } finally {
    await server.stop();
  }
}

/** Finds an id for each root field that takes an id. */
async function idsOf({ gql }: Tenant): Promise<Record<string, string>> {
  const lists = ["issues", "comments", "teams", "workflowStates", "users", "recordedFailureGroups"];
  const found = await gql(`{ ${lists.map((each) => `${each}(first: 1) { nodes { id } }`).join(" ")} }`);
  const ids = lists.flatMap((each) =>
    found[each].nodes[0] ? [[each.replace(/s$/, ""), found[each].nodes[0].id]] : [],
  );
  const { issue } = Object.fromEntries(ids);
  return { ...Object.fromEntries(ids), node: issue };
}
