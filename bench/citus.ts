import { randomUUID } from "node:crypto";
import { citusUrl, createCitusDatabase, dropCitusDatabase, runDistribute } from "../test/support/db/citus.ts";
import { runSql } from "../test/support/db/postgres.ts";
import { LISTENING_LINE, spawnServer } from "../test/support/run/process.ts";
import { createOrganization, sendGraphQL, type Tenant } from "../test/support/server.ts";
import { computeMedian } from "./support/figures.ts";
import { postAll } from "./support/post.ts";
import { SECRET } from "./support/secret.ts";

const ROUNDS = 5;
/** Requests of each kind per engine and round. Before the first round, `WARM` uncounted creates run. */
const [REQUESTS, WARM] = [150, 60];
const [BATCHES, BATCH, CONNECTIONS] = [60, 500, 4];
const CREATE = "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }";
const ISSUE =
  "query ($id: String!) { issue(id: $id) { id title state { name } team { key } labels { nodes { name } } } }";
const PAGE = "{ issues(first: 50) { nodes { id title state { name } team { key } assignee { name } } } }";

const ENGINES = ["plain", "spread"] as const;
const LOADS = ["issue", "page", "create", "eventsPerSecond"] as const;
type Engine = (typeof ENGINES)[number];
type Figures = Record<(typeof LOADS)[number], number>;

/**
 * Compares a server on one Citus node used as plain PostgreSQL with a server on all nodes. One organization sends one
 * request at a time, to each server in turn, so that other load on the machine affects both. Batches of events run in
 * parallel, one engine after the other. Needs TEST_CITUS_URL. Prints each median and the ratio. The nodes share the
 * cores of one machine, so the bench measures the cost of distribution without its benefit.
 */
export async function benchCitus(): Promise<void> {
  if (!citusUrl) throw new Error("TEST_CITUS_URL: .ci/citus with KEEP=1 starts one and says where it is");
  const plainUrl = Object.assign(new URL(citusUrl), { pathname: "/bench_plain" }).href;
  await runSql(citusUrl, "drop database if exists bench_plain with (force)");
  await runSql(citusUrl, "create database bench_plain");
  const spreadUrl = await createCitusDatabase("bench_spread");
  runDistribute(spreadUrl, "--apply");
  const sides = { plain: await begin(plainUrl), spread: await begin(spreadUrl) };
  const rounds: Record<Engine, Figures>[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const figures = await measure(sides);
    rounds.push(figures);
    console.log(JSON.stringify({ bench: "citus", round, ...figures }));
  }
  for (const load of LOADS) {
    const of = (engine: Engine) => computeMedian(rounds.map((round) => round[engine][load]));
    const ratio = hundredths(computeMedian(rounds.map(({ plain, spread }) => spread[load] / plain[load])));
    console.log(JSON.stringify({ bench: "citus", load, plain: of("plain"), spread: of("spread"), ratio }));
  }
  await Promise.all(ENGINES.map((engine) => sides[engine].stop()));
  await dropCitusDatabase(spreadUrl);
  await runSql(citusUrl, "drop database bench_plain with (force)");
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
  const url = (await server.printed(LISTENING_LINE))[1] ?? "";
  const tenant = await createOrganization({ url });
  const made = await tenant.gql('mutation { teamCreate(input: { name: "Acme" }) { team { id } } }');
  const side = { tenant, teamId: made.teamCreate.team.id, stop: () => server.stop() };
  for (let at = 0; at < WARM; at += 1) await create(side);
  return side;
}

async function measure(sides: Record<Engine, Side>): Promise<Record<Engine, Figures>> {
  const created = await inTurn(sides, create);
  const newest = { plain: await newestIssue(sides.plain), spread: await newestIssue(sides.spread) };
  const issue = await inTurn(sides, (side, engine) => send(side, ISSUE, { id: newest[engine] }));
  const page = await inTurn(sides, (side) => send(side, PAGE));
  const figures = async (engine: Engine): Promise<Figures> => ({
    issue: issue[engine],
    page: page[engine],
    create: created[engine],
    eventsPerSecond: await eventsPerSecond(sides[engine]),
  });
  return { plain: await figures("plain"), spread: await figures("spread") };
}

const newestIssue = async (side: Side): Promise<string> =>
  (await side.tenant.gql("{ issues(first: 1) { nodes { id } } }")).issues.nodes[0].id;

/** Runs `work` on each engine in turn. @returns the median duration of each, in ms */
async function inTurn(
  sides: Record<Engine, Side>,
  work: (side: Side, engine: Engine) => Promise<unknown>,
): Promise<Record<Engine, number>> {
  const all: Record<Engine, number[]> = { plain: [], spread: [] };
  for (let at = 0; at < REQUESTS; at += 1) {
    for (const engine of ENGINES) {
      const begun = performance.now();
      await work(sides[engine], engine);
      all[engine].push(performance.now() - begun);
    }
  }
  return { plain: hundredths(computeMedian(all.plain)), spread: hundredths(computeMedian(all.spread)) };
}

const create = ({ tenant, teamId }: Side): Promise<void> =>
  send({ tenant }, CREATE, { input: { teamId, title: `The login is broken ${randomUUID()}` } });

async function send({ tenant }: Pick<Side, "tenant">, query: string, variables = {}): Promise<void> {
  const { errors } = await sendGraphQL(tenant.url, tenant.apiKey, { query, variables });
  if (errors) throw new Error(JSON.stringify(errors));
}

async function eventsPerSecond({ tenant }: Side): Promise<number> {
  const bodies = Array.from({ length: BATCHES }, batch);
  const seconds = await postAll(`${tenant.url}/api/v1/capture-events`, bodies, CONNECTIONS, {
    "x-api-key": tenant.ingestKey,
  });
  return Math.round((BATCHES * BATCH) / seconds);
}

const hundredths = (figure: number): number => Math.round(figure * 100) / 100;

function batch(): Buffer {
  const session_id = randomUUID();
  const text = "x".repeat(300);
  const rest = { session_id, primitive_name: "bench", args: text, result: text };
  return Buffer.from(
    JSON.stringify({ events: Array.from({ length: BATCH }, () => ({ event_id: randomUUID(), ...rest })) }),
  );
}
