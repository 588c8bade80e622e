import { readFileSync } from "node:fs";
import { ownCluster } from "../test/support/db/postgres.ts";
import { HARD_WORDS, hardText } from "../test/support/hostile/hostile-tenant.ts";
import { anEvent, sendRaw } from "../test/support/recording/ingest.ts";
import { freshOrganization, startServer, type Tenant } from "../test/support/server.ts";
import { postmasterOf } from "./support/postmaster.ts";
import { SECRET } from "./support/secret.ts";

const RUNS = 4;
const KIB = 1024;
const [ISSUES, EVENTS] = [40, 12];
/** Words that are looked for longest: in texts that repeat their beginning or their end, and one that every text has. */
const TERMS = [HARD_WORDS[0] ?? "", `${"a".repeat(7)}b`, `b${"a".repeat(7)}`, "a", `${"a".repeat(31)}é`];
/** Letters of which the texts are: one, or many. */
const TEXTS: Readonly<Record<string, (length: number, seed: number) => string>> = {
  hard: hardText,
  repeated: (length) => "a".repeat(length),
};

type Server = Awaited<ReturnType<typeof startServer>>;
/** CPU time so far of whatever runs statements, in ms. */
type Cpu = () => number;

/**
 * Prints the CPU time that the longest statement of each search takes over texts that are hard to search, on both engines: of
 * several runs the least. BENCH_ONLY=embedded|postgresql takes one of them.
 */
export async function benchSearches(): Promise<void> {
  const only = process.env["BENCH_ONLY"];
  if (only !== "postgresql") await measureAll("embedded", {}, ownCpu);
  if (only === "embedded") return;
  const cluster = await ownCluster();
  try {
    const postmaster = await postmasterOf(cluster.url);
    const env = { DATABASE_URL: cluster.url, DATABASE_POOL: "8", JWT_SECRET: SECRET };
    await measureAll("postgresql", env, () => cpuOfChildren(postmaster));
  } finally {
    cluster.remove();
  }
}

const ownCpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

const cpuOfChildren = (pid: number): number =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(" ")
    .reduce((sum, child) => sum + Number(readFileSync(`/proc/${child}/schedstat`, "utf8").split(" ")[0]) / 1e6, 0);

async function measureAll(engine: string, env: Record<string, string>, cpu: Cpu): Promise<void> {
  const app = await startServer(env);
  try {
    const longest = new Map<string, { search: string; ms: number; statements: number; texts: string; term: string }>();
    for (const [texts, textOf] of Object.entries(TEXTS)) {
      const tenant = await freshOrganization(app);
      const sessionId = await fill(tenant, textOf);
      for (const { search, term, query } of searchesOf(sessionId)) {
        const row = { search, ...(await measure(app, tenant, query, cpu)), texts, term };
        if (row.ms >= (longest.get(search)?.ms ?? 0)) longest.set(search, row);
      }
    }
    console.log(`longest statement of each search, ${engine}`);
    console.table([...longest.values()]);
  } finally {
    await app.close();
  }
}

function searchesOf(sessionId: string): { search: string; term: string; query: string }[] {
  const from = new Date(Date.now() - 86_400_000).toISOString();
  const searches: Record<string, (term: string) => string> = {
    searchIssues: (term) => `searchIssues(term: ${term}, includeComments: true) { totalCount searchedSince }`,
    recordedSearch: (term) => `recordedSearch(term: ${term}, first: 100, from: "${from}") { read nodes { snippet } }`,
    recordedOutline: (term) => `recordedOutline(sessionId: "${sessionId}", text: ${term}) { read ids }`,
    recordedSessions: (term) => `recordedSessions(filter: { text: ${term} }) { nodes { id } }`,
    recordedSessionHistogram: (term) => `recordedSessionHistogram(filter: { text: ${term} }) { buckets { sessions } }`,
    "recordedSearch(filter)": (term) => `recordedSearch(term: "nowhere", filter: { text: ${term} }) { read }`,
    "issues(filter)": (term) => `issues(filter: { description: { containsIgnoreCase: ${term} } }) { nodes { id } }`,
  };
  return Object.entries(searches).flatMap(([search, write]) =>
    TERMS.map((term) => ({ search, term, query: `{ ${write(JSON.stringify(term))} }` })),
  );
}

async function measure({ runtime: { db } }: Server, { graphql }: Tenant, query: string, cpu: Cpu) {
  const { query: send } = db;
  let [ms, statements] = [Number.POSITIVE_INFINITY, 0];
  try {
    for (let run = 0; run < RUNS; run += 1) {
      const took: number[] = [];
      db.query = async <Row>(...args: Parameters<typeof send>) => {
        const before = cpu();
        return send<Row>(...args).finally(() => took.push(cpu() - before));
      };
      const { errors } = await graphql(query);
      if (errors) console.log(query.slice(0, 100), errors[0]?.message);
      ms = Math.min(ms, Math.max(...took));
      statements = Math.max(statements, took.length);
    }
  } finally {
    db.query = send;
  }
  return { ms: Math.round(ms), statements };
}

/** Fills an organization with issues, and one session with events of a MiB each way. */
async function fill(tenant: Tenant, textOf: (length: number, seed: number) => string): Promise<string> {
  const { teams } = await tenant.gql("{ teams(first: 1) { nodes { id } } }");
  const team =
    teams.nodes[0] ??
    (await tenant.gql('mutation { teamCreate(input: { name: "Eng", key: "ENG" }) { team { id } } }')).teamCreate.team;
  for (let n = 0; n < ISSUES; n += 1)
    await tenant.gql("mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }", {
      input: { teamId: team.id, title: `No ${n}`, description: textOf(254 * KIB, n + 1) },
    });
  const { session_id: sessionId } = anEvent({});
  for (let n = 0; n < EVENTS; n += 1) {
    const text = textOf(1_000 * KIB, 1_000 + n);
    const event = anEvent({ session_id: sessionId, args: text, result: text, timestamp: Date.now() - n });
    const headers = { "x-api-key": tenant.ingestKey };
    const { status } = await sendRaw(`${tenant.url}/api/v1/capture-event`, JSON.stringify(event), headers);
    if (status >= 300) throw new Error(`an event was answered ${status}`);
  }
  return sessionId;
}
