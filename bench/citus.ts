import { randomUUID } from "node:crypto";
import type { App } from "../server/app.ts";
import { citus, citusDatabase, distribute, dropCitusDatabase } from "../test/support/citus.ts";
import { runSql } from "../test/support/postgres.ts";
import { LISTENING, spawnServer } from "../test/support/process.ts";
import { freshOrganization, sendGraphQL, type Tenant } from "../test/support/server.ts";
import { middle } from "./support/figures.ts";
import { postAll } from "./support/post.ts";
import { SECRET } from "./support/secret.ts";

const ROUNDS = 3;
/** Requests of a kind in a round, one after the other; before the first, so many that are not counted. */
const [REQUESTS, WARM] = [150, 60];
const [BATCHES, BATCH, CONNECTIONS] = [60, 500, 4];
const CREATE = "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }";
const ISSUE =
  "query ($id: String!) { issue(id: $id) { id title state { name } team { key } labels { nodes { name } } } }";
const PAGE = "{ issues(first: 50) { nodes { id title state { name } team { key } assignee { name } } } }";

type Figures = Record<"issue" | "page" | "create" | "eventsPerSecond", number>;

/**
 * The same server on one node of a Citus as plain PostgreSQL, and on all of its nodes, round by round in turn: one
 * organization, one request at a time, and batches of events side by side. Needs TEST_CITUS_URL; prints each middle and
 * the ratio. On one machine the nodes share its cores, so this is the cost of being spread, without what it is for.
 */
export async function benchCitus(): Promise<void> {
  if (!citus) throw new Error("TEST_CITUS_URL: .ci/citus with KEEP=1 starts one and says where it is");
  const plainUrl = Object.assign(new URL(citus), { pathname: "/bench_plain" }).href;
  await runSql(citus, "drop database if exists bench_plain with (force)");
  await runSql(citus, "create database bench_plain");
  const spreadUrl = await citusDatabase("bench_spread");
  distribute(spreadUrl, "--apply");
  const [plain, spread] = [await begin(plainUrl), await begin(spreadUrl)];
  const rounds: { plain: Figures; spread: Figures }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push({ plain: await measure(plain), spread: await measure(spread) });
    console.log(JSON.stringify({ bench: "citus", round, ...rounds.at(-1) }));
  }
  for (const name of ["issue", "page", "create", "eventsPerSecond"] as const) {
    const of = (engine: "plain" | "spread") => middle(rounds.map((round) => round[engine][name]));
    const ratio = Math.round((of("spread") / of("plain")) * 100) / 100;
    console.log(JSON.stringify({ bench: "citus", load: name, plain: of("plain"), spread: of("spread"), ratio }));
  }
  await Promise.all([plain.stop(), spread.stop()]);
  await dropCitusDatabase(spreadUrl);
  await runSql(citus, "drop database bench_plain with (force)");
}

interface Side {
  tenant: Tenant;
  teamId: string;
  stop(): Promise<unknown>;
}

async function begin(databaseUrl: string): Promise<Side> {
  const off = { GRAPHQL_REQUESTS_PER_HOUR: "off", GRAPHQL_COMPLEXITY_PER_HOUR: "off", LOGIN_THROTTLE: "off" };
  const ingest = { INGEST_RATE_REQUESTS: "off", INGEST_RATE_EVENTS: "off" };
  const server = spawnServer({ DATABASE_URL: databaseUrl, JWT_SECRET: SECRET, ...off, ...ingest });
  const url = (await server.printed(LISTENING))[1] ?? "";
  const tenant = await freshOrganization({ url } as App);
  const made = await tenant.gql('mutation { teamCreate(input: { name: "Acme" }) { team { id } } }');
  const side = { tenant, teamId: made.teamCreate.team.id, stop: () => server.stop() };
  await timed(WARM, () => create(side));
  return side;
}

async function measure(side: Side): Promise<Figures> {
  const { url, apiKey, ingestKey } = side.tenant;
  const creates = await timed(REQUESTS, () => create(side));
  const id = (await side.tenant.gql("{ issues(first: 1) { nodes { id } } }")).issues.nodes[0].id;
  const read = (query: string, variables = {}) => timed(REQUESTS, () => sendGraphQL(url, apiKey, { query, variables }));
  const [issue, page] = [await read(ISSUE, { id }), await read(PAGE)];
  const bodies = Array.from({ length: BATCHES }, batch);
  const seconds = await postAll(`${url}/api/v1/capture-events`, bodies, CONNECTIONS, { "x-api-key": ingestKey });
  return { issue, page, create: creates, eventsPerSecond: Math.round((BATCHES * BATCH) / seconds) };
}

async function create({ tenant, teamId }: Side): Promise<void> {
  const input = { teamId, title: `The login is broken ${randomUUID()}` };
  const { errors } = await sendGraphQL(tenant.url, tenant.apiKey, { query: CREATE, variables: { input } });
  if (errors) throw new Error(JSON.stringify(errors));
}

/** The middle of how long something takes, in ms. */
async function timed(times: number, work: () => Promise<unknown>): Promise<number> {
  const all: number[] = [];
  for (let at = 0; at < times; at += 1) {
    const begun = performance.now();
    await work();
    all.push(performance.now() - begun);
  }
  return Math.round(middle(all) * 100) / 100;
}

function batch(): Buffer {
  const session_id = randomUUID();
  const text = "x".repeat(300);
  const rest = { session_id, primitive_name: "bench", args: text, result: text };
  return Buffer.from(
    JSON.stringify({ events: Array.from({ length: BATCH }, () => ({ event_id: randomUUID(), ...rest })) }),
  );
}
