import { readFileSync } from "node:fs";
import { startOwnCluster } from "../test/support/db/postgres.ts";
import { createHardText, HARD_WORDS } from "../test/support/hostile/hostile-tenant.ts";
import { createEvent, sendRaw } from "../test/support/recording/ingest.ts";
import { createOrganization, startServer, type Tenant } from "../test/support/server.ts";
import { findPostmaster } from "./support/postmaster.ts";
import { SECRET } from "./support/secret.ts";

const RUNS = 4;
const KIB = 1024;
const [ISSUES, EVENTS] = [40, 12];
/**
 * Terms that take longest to find: terms that repeat the beginning or end of the content, and a term that
 * all content contains.
 */
const TERMS = [HARD_WORDS[0] ?? "", `${"a".repeat(7)}b`, `b${"a".repeat(7)}`, "a", `${"a".repeat(31)}é`];
/** Generators of content: with varied letters, or with a single letter. */
const TEXTS: Readonly<Record<string, (length: number, seed: number) => string>> = {
  hard: createHardText,
  repeated: (length) => "a".repeat(length),
};

type Server = Awaited<ReturnType<typeof startServer>>;
/** CPU time so far, in ms, of the process that runs statements. */
type Cpu = () => number;

/**
 * Prints the CPU time of the longest statement of each search over content that is hard to search, on both engines:
 * the minimum of several runs. BENCH_ONLY=embedded|postgresql selects an engine.
 */
export async function benchSearches(): Promise<void> {
  const only = process.env["BENCH_ONLY"];
  if (only !== "postgresql") await measureAll("embedded", {}, ownCpu);
  if (only === "embedded") return;
  const cluster = await startOwnCluster();
  try {
    const postmaster = await findPostmaster(cluster.url);
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
      const tenant = await createOrganization(app);
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

/** Fills an organization with issues, and with a session whose events have a MiB of arguments and a MiB of results. */
async function fill(tenant: Tenant, textOf: (length: number, seed: number) => string): Promise<string> {
  const { teams } = await tenant.gql("{ teams(first: 1) { nodes { id } } }");
  const team =
    teams.nodes[0] ??
    (await tenant.gql('mutation { teamCreate(input: { name: "Eng", key: "ENG" }) { team { id } } }')).teamCreate.team;
  for (let n = 0; n < ISSUES; n += 1)
    await tenant.gql("mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }", {
      input: { teamId: team.id, title: `No ${n}`, description: textOf(254 * KIB, n + 1) },
    });
  const { session_id: sessionId } = createEvent({});
  for (let n = 0; n < EVENTS; n += 1) {
    const text = textOf(1_000 * KIB, 1_000 + n);
    const event = createEvent({ session_id: sessionId, args: text, result: text, timestamp: Date.now() - n });
    const headers = { "x-api-key": tenant.ingestKey };
    const { status } = await sendRaw(`${tenant.url}/api/v1/capture-event`, JSON.stringify(event), headers);
    if (status >= 300) throw new Error(`an event was answered ${status}`);
  }
  return sessionId;
}
