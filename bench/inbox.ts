import { ownCluster } from "../test/support/postgres.ts";
import { freshOrganization, startServer, type Tenant } from "../test/support/server.ts";
import { SECRET } from "./support/secret.ts";

const SESSIONS = 200_000;
const RUNS = 200;

/** Questions that a page of the web app and the command line ask. */
const QUERIES: Readonly<Record<string, string>> = {
  inbox:
    "{ inbox(first: 50) { nodes { id type createdAt question session { id metadata } event { id } issue { identifier } } } }",
  "sessions that wait":
    "{ recordedSessions(first: 50, filter: { state: { eq: waitingForPermission } }) { nodes { id state waitsFor } } }",
  "sessions that are stuck":
    "{ recordedSessions(first: 50, filter: { state: { eq: stuck } }) { nodes { id state stateSince } } }",
  "sessions that loop or failed":
    "{ recordedSessions(first: 50, filter: { state: { in: [looping, failed] } }) { nodes { id state } } }",
};

/** Sessions of the last 90 days. One in a hundred works, waits or is stuck; some were left so weeks ago. Raw SQL: rows by the thousand. */
const FILL = `insert into recorded_session (organization_id, session_id, metadata, timestamp, timestamp_sent, registered, received_at,
    last_received_at, source, observed, events, failures, turns, tool_calls, ended_at, state, state_since, waits_for, loop_since)
  select $1, gen_random_uuid(), '{"cwd": "/srv/parcels", "host": "workstation"}', at, false, true, at, at + interval '5 minutes', 'claude-code', '{}',
    20, 0, 1, 18, at + interval '5 minutes', state, at, case when state like 'waiting%' then 'npm publish' end,
    case when state = 'working' and n % 3 = 0 then at end
  from (select n, now() - (n * interval '38 seconds') as at, case n % 1000 when 1 then 'working' when 2 then 'working'
      when 3 then 'waitingForPermission' when 4 then 'waitingForAnswer' when 5 then 'failed'
      else case n % 3 when 0 then 'idle' else 'ended' end end as state
    from generate_series($2::int, $3::int) n) s`;

/** Prints how long the inbox and lists by state take at 200,000 sessions, on both engines. BENCH_ONLY=embedded|postgresql takes one. */
export async function benchInbox(): Promise<void> {
  const only = process.env["BENCH_ONLY"];
  if (only !== "postgresql") await measureAll("embedded", {});
  if (only === "embedded") return;
  const cluster = await ownCluster();
  try {
    await measureAll("postgresql", { DATABASE_URL: cluster.url, DATABASE_POOL: "8", JWT_SECRET: SECRET });
  } finally {
    cluster.remove();
  }
}

async function measureAll(engine: string, env: Record<string, string>): Promise<void> {
  const app = await startServer(env);
  try {
    const tenant = await freshOrganization(app);
    const { db } = app.runtime;
    for (let from = 1; from < SESSIONS; from += 2_000)
      await db.query({ text: FILL, values: [tenant.organizationId, from, from + 1_999] });
    await db.query({ text: "analyze recorded_session" });
    const rows = [];
    for (const [name, query] of Object.entries(QUERIES)) rows.push({ name, ...(await measure(tenant, query)) });
    console.log(`${SESSIONS.toLocaleString("en")} sessions, ${engine}`);
    console.table(rows);
  } finally {
    await app.close();
  }
}

async function measure({ graphql }: Tenant, query: string) {
  const took: number[] = [];
  let entries = 0;
  for (let run = 0; run < RUNS + 20; run += 1) {
    const began = performance.now();
    const { data, errors } = await graphql(query);
    if (errors) throw new Error(JSON.stringify(errors));
    if (run >= 20) took.push(performance.now() - began);
    entries = (Object.values(data)[0] as { nodes: unknown[] }).nodes.length;
  }
  took.sort((a, b) => a - b);
  const at = (share: number) => Number(took[Math.floor(RUNS * share)]?.toFixed(1));
  return { entries, p50: at(0.5), p95: at(0.95), max: at(0.999) };
}
