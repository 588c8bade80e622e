import { ownCluster } from "../../test/support/postgres.ts";
import { freshOrganization, startServer, type Tenant } from "../../test/support/server.ts";
import { workspaceOf } from "../../test/support/workspace.ts";
import { SECRET } from "../support/secret.ts";
import { fillWaiting, insert, SESSIONS } from "./fill.ts";

const RUNS = 200;

/** The inbox as a page of the web app asks for it, which reads most of all who do. */
const INBOX =
  "{ inbox(first: 50) { nodes { id type createdAt question session { id metadata } event { id } issue { identifier } } } }";
const sessions = (state: string) =>
  `{ recordedSessions(first: 50, filter: { state: { ${state} } }) { nodes { id state stateSince waitsFor } } }`;

/** Questions about what waits in sessions. */
const LISTS: Readonly<Record<string, string>> = {
  inbox: INBOX,
  "sessions that wait": sessions("eq: waitingForPermission"),
  "sessions that are stuck": sessions("eq: stuck"),
  "sessions that loop or failed": sessions("in: [looping, failed]"),
};

/** Questions to an inbox to which every source gives as much as it may. */
const FULL: Readonly<Record<string, string>> = {
  "full inbox": INBOX,
  "full inbox, its second page": INBOX.replace("(first: 50)", '(first: 50, after: "CURSOR")'),
  "full inbox, entries of one type": INBOX.replace(
    "(first: 50)",
    "(first: 50, filter: { type: { eq: limitReached } })",
  ),
};

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
    const space = await workspaceOf(await freshOrganization(app));
    const { db } = app.runtime;
    await insert(db, space.organizationId, SESSIONS);
    const rows = [];
    for (const [name, query] of Object.entries(LISTS)) rows.push({ name, ...(await measure(space, query)) });
    await fillWaiting(db, space);
    const { inbox } = await space.gql("{ inbox(first: 50) { pageInfo { endCursor } } }");
    for (const [name, query] of Object.entries(FULL))
      rows.push({ name, ...(await measure(space, query.replace("CURSOR", inbox.pageInfo.endCursor))) });
    console.log(`${SESSIONS.count.toLocaleString("en")} sessions, ${engine}`);
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
