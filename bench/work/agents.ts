import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

export interface Agent {
  id: string;
  token: string;
}

export interface Crew {
  urls: readonly string[];
  agents: readonly Agent[];
  /** The state of an issue that an agent takes without a claim. */
  startedId: string;
  /** Takes issues by reading and then writing, like trackers without claims. This is the control. */
  naive: boolean;
}

/** An agent's report: the agent won an issue (with its fence), finished an issue, or came too late. */
export type Report = ["won" | "finished" | "late", ...string[]];

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

/** Runs an agent until its process is killed: takes and finishes issues on any running server. */
export async function runAgent(crew: Crew, agent: Agent, tell: (report: Report) => void): Promise<never> {
  for (;;) {
    const taken = await (crew.naive ? takeNaively(crew, agent) : claim(crew, agent)).catch(() => undefined);
    if (!taken) {
      await sleep(200 + Math.random() * 400);
      continue;
    }
    tell(["won", taken.id, String(taken.fence ?? "")]);
    await sleep(Math.random() * 500);
    const end = await finish(crew, agent, taken);
    if (end) tell([end, taken.id]);
  }
}

interface Taken {
  id: string;
  fence?: number;
}

async function claim(crew: Crew, agent: Agent): Promise<Taken | undefined> {
  const { data } = await ask(crew, agent, { query: CLAIM });
  const claimed = data?.issueClaim;
  return claimed && { id: claimed.issue.id, fence: claimed.lease.fence };
}

async function takeNaively(crew: Crew, agent: Agent): Promise<Taken | undefined> {
  const [found] = (await ask(crew, agent, { query: READ })).data?.issues?.nodes ?? [];
  if (!found) return undefined;
  const variables = { id: found.id, input: { delegateId: agent.id, stateId: crew.startedId } };
  const { errors } = await ask(crew, agent, { query: TAKE, variables });
  return errors ? undefined : { id: found.id };
}

/** Repeats the request until a response arrives. The idempotency key prevents a second effect. */
async function finish(crew: Crew, agent: Agent, { id, fence }: Taken): Promise<"finished" | "late" | undefined> {
  const key = randomUUID();
  for (let tries = 0; tries < 60; tries += 1) {
    const reply = await ask(crew, agent, { query: FINISH, variables: { id, fence } }, key).catch(() => undefined);
    if (reply?.data) return "finished";
    if (reply?.errors?.[0]?.extensions?.code === "CONFLICT") return "late";
    await sleep(200);
  }
  return undefined;
}

async function ask({ urls }: Crew, { token }: Agent, body: object, key = randomUUID()): Promise<Reply> {
  const url = urls[Math.floor(Math.random() * urls.length)];
  const headers = { "Content-Type": "application/json", Authorization: token, "Idempotency-Key": key };
  const signal = AbortSignal.timeout(5_000);
  const response = await fetch(`${url}/graphql`, { method: "POST", headers, body: JSON.stringify(body), signal });
  return (await response.json()) as Reply;
}
