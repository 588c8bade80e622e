import { setTimeout as sleep } from "node:timers/promises";
import { createEvent } from "../../test/support/recording/ingest.ts";
import { callRestApi, sendGraphQL, type Tenant } from "../../test/support/server.ts";
import type { Place } from "./bench.ts";

/** Responses and response times of the other organization. */
export interface MeasuredAction {
  hostileAtOnce: number;
  what: string;
  asked: number;
  unavailable: number;
  p50: number;
  p95: number;
  p99: number;
  longest: number;
  /** Limit of the p95 in ms: three times the quiet p95, or 250 ms. */
  limit: number;
  hostileAnswered: number;
  hostileUnavailable: number;
}

const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 10);
const SEARCH = `{ ${Array.from({ length: 20 }, (_, n) => `a${n}: searchIssues(term: "aaab0") { totalCount }`).join(" ")} }`;

type Times = Map<string, { ms: number[]; unavailable: number }>;

/** Measures the other organization alone, and while the hostile organization sends 3 and 16 requests at a time. */
export async function measureOtherTenant(place: Place, worst: readonly string[]): Promise<MeasuredAction[]> {
  const actions = await createActions(place.other);
  const quiet = await repeatActions(actions, SECONDS * 1_000);
  const rows = [...buildFigures(0, quiet, quiet, { answered: 0, unavailable: 0 })];
  for (const atOnce of [3, 16]) {
    const until = performance.now() + SECONDS * 1_000;
    const heard = { answered: 0, unavailable: 0 };
    const attack = Array.from({ length: atOnce }, (_, n) =>
      attackUntil(place.hostile, [SEARCH, ...worst], { n, until, heard }),
    );
    await sleep(500);
    const met = await repeatActions(actions, until - performance.now());
    await Promise.all(attack);
    rows.push(...buildFigures(atOnce, met, quiet, heard));
    await sleep(2_000);
  }
  return rows;
}

interface Attack {
  n: number;
  until: number;
  heard: { answered: number; unavailable: number };
}

async function attackUntil(
  { url, apiKey }: Tenant,
  documents: readonly string[],
  { n, until, heard }: Attack,
): Promise<void> {
  // Every second request is the search. The others are the worst documents in turn.
  for (let at = n; performance.now() < until; at += 1) {
    const query = documents[at % 2 ? 0 : Math.floor(at / 2) % documents.length] ?? SEARCH;
    const { status } = await sendGraphQL(url, apiKey, { query });
    if (status === 503 || status === 429) heard.unavailable += 1;
    else heard.answered += 1;
  }
}

export type Actions = Readonly<Record<string, () => Promise<{ status: number }>>>;

/** Reads, writes, captures and health requests. */
export async function createActions({ url, apiKey, ingestKey }: Tenant): Promise<Actions> {
  const { teams } = (await sendGraphQL(url, apiKey, { query: "{ teams(first: 1) { nodes { id } } }" })).data ?? {};
  const teamId = teams?.nodes[0].id;
  const create = `mutation { issueCreate(input: { teamId: "${teamId}", title: "One more" }) { issue { identifier } } }`;
  const list = "{ issues(first: 25) { nodes { identifier title state { name } assignee { name } } } }";
  return {
    read: () => sendGraphQL(url, apiKey, { query: list }),
    write: () => sendGraphQL(url, apiKey, { query: create }),
    search: () => sendGraphQL(url, apiKey, { query: '{ searchIssues(term: "hard one") { nodes { id } } }' }),
    capture: () =>
      callRestApi(url, "POST", "/api/v1/capture-event", { headers: { "x-api-key": ingestKey }, body: createEvent() }),
    health: () => callRestApi(url, "GET", "/api/health"),
    live: () => callRestApi(url, "GET", "/api/health/live"),
  };
}

/** Repeats each action 50 ms after its response. */
export async function repeatActions(actions: Actions, milliseconds: number): Promise<Times> {
  const until = performance.now() + milliseconds;
  const times: Times = new Map();
  const again = async (name: string, act: () => Promise<{ status: number }>) => {
    const own = { ms: [] as number[], unavailable: 0 };
    times.set(name, own);
    while (performance.now() < until) {
      const begun = performance.now();
      const { status, ...rest } = await act().catch(() => ({ status: 599 }));
      own.ms.push(performance.now() - begun);
      if (status >= 400) {
        if (own.unavailable === 0) console.log(`${name}: ${status} ${JSON.stringify(rest).slice(0, 300)}`);
        own.unavailable += 1;
      }
      await sleep(50);
    }
  };
  await Promise.all(Object.entries(actions).map(([name, act]) => again(name, act)));
  return times;
}

const part = (ms: readonly number[], share: number) =>
  Math.round(ms.toSorted((one, other) => one - other)[Math.ceil(ms.length * share) - 1] ?? Number.NaN);

/** The figures of each action of the other organization. */
export const buildFigures = (
  hostileAtOnce: number,
  met: Times,
  quiet: Times,
  heard: Attack["heard"],
): MeasuredAction[] =>
  [...met].map(([what, { ms, unavailable }]) => ({
    hostileAtOnce,
    what,
    asked: ms.length,
    unavailable,
    p50: part(ms, 0.5),
    p95: part(ms, 0.95),
    p99: part(ms, 0.99),
    longest: part(ms, 1),
    limit: Math.max(3 * part(quiet.get(what)?.ms ?? [], 0.95), 250),
    hostileAnswered: heard.answered,
    hostileUnavailable: heard.unavailable,
  }));
