import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

/** What all agents do together. */
export interface Yard {
  urls: readonly string[];
  /** The state an issue enters when it is taken without a claim. */
  startedId: string;
  /** Claims by reading and then writing, as trackers without claims do: the control. */
  naive: boolean;
  stopped: boolean;
  /** Who was told to have won what: `issue fence` and the agent; without claims the issue alone. */
  won: { key: string; agent: string }[];
  finished: string[];
  /** Agents that died with an issue in hand. */
  deaths: number;
  late: number;
}

interface Agent {
  id: string;
  token: string;
}

interface Reply {
  data?: {
    issueClaim?: { issue: { id: string }; lease: { fence: number } };
    issues?: { nodes: { id: string }[] };
  };
  errors?: { extensions?: { code?: string } }[];
}

const CLAIM = "mutation { issueClaim(input: { filter: {}, ttlSeconds: 60 }) { issue { id } lease { fence } } }";
const READ = "{ issues(filter: { ready: { eq: true } }, sort: [{ ready: {} }], first: 1) { nodes { id } } }";
const TAKE = `mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }`;
const FINISH = "mutation ($id: String!, $fence: Int) { issueComplete(id: $id, fence: $fence) { issue { id } } }";

/** An agent at work: takes issues and finishes them, dies now and then, and asks whichever server lives. */
export async function work(yard: Yard, agent: Agent): Promise<void> {
  while (!yard.stopped) {
    const taken = await (yard.naive ? takeNaively(yard, agent) : claim(yard, agent)).catch(() => undefined);
    if (!taken) {
      await sleep(200 + Math.random() * 400);
      continue;
    }
    yard.won.push({ key: `${taken.id} ${taken.fence ?? ""}`, agent: agent.id });
    await sleep(Math.random() * 500);
    if (Math.random() < 0.05) yard.deaths += 1;
    else await finish(yard, agent, taken);
  }
}

interface Taken {
  id: string;
  fence?: number;
}

async function claim(yard: Yard, agent: Agent): Promise<Taken | undefined> {
  const { data } = await ask(yard, agent, { query: CLAIM });
  const claimed = data?.issueClaim;
  return claimed && { id: claimed.issue.id, fence: claimed.lease.fence };
}

async function takeNaively(yard: Yard, agent: Agent): Promise<Taken | undefined> {
  const [found] = (await ask(yard, agent, { query: READ })).data?.issues?.nodes ?? [];
  if (!found) return undefined;
  const variables = { id: found.id, input: { delegateId: agent.id, stateId: yard.startedId } };
  const { errors } = await ask(yard, agent, { query: TAKE, variables });
  return errors ? undefined : { id: found.id };
}

/** Asks until there is an answer; the same request again does nothing again. */
async function finish(yard: Yard, agent: Agent, { id, fence }: Taken): Promise<void> {
  const key = randomUUID();
  for (let tries = 0; tries < 60; tries += 1) {
    const reply = await ask(yard, agent, { query: FINISH, variables: { id, fence } }, key).catch(() => undefined);
    const code = reply?.errors?.[0]?.extensions?.code;
    if (reply?.data) return void yard.finished.push(id);
    if (code === "CONFLICT") {
      yard.late += 1;
      return;
    }
    await sleep(200);
  }
}

async function ask({ urls }: Yard, { token }: Agent, body: object, key = randomUUID()): Promise<Reply> {
  const url = urls[Math.floor(Math.random() * urls.length)];
  const headers = { "Content-Type": "application/json", Authorization: token, "Idempotency-Key": key };
  const signal = AbortSignal.timeout(5_000);
  const response = await fetch(`${url}/graphql`, { method: "POST", headers, body: JSON.stringify(body), signal });
  return (await response.json()) as Reply;
}
