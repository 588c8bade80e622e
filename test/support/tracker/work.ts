import { randomUUID } from "node:crypto";
import { earlierSql } from "../db/database.ts";
import { sendGraphQL, startSharedServer, type Tenant } from "../server.ts";
import { type MutationRefusal, performMutation, toRefusal, type Workspace } from "../workspace.ts";

type Args = Record<string, unknown>;

export const LEASE_FIELDS = "lease { fence holder { id name } sessionId expiresAt grantedAt ttlSeconds }";
/** Fields of the result of a claim. */
export const CLAIM_FIELDS = `lastSyncId issue { id identifier state { id name type } assignee { id } delegate { id } } ${LEASE_FIELDS}`;

/** Agent of an organization, which acts with a key of its own. */
export interface TestAgent extends Pick<Tenant, "graphql"> {
  id: string;
  name: string;
  token: string;
  does(mutation: string, args: Args, selection?: string): Promise<any>;
  refuses(mutation: string, args: Args): Promise<MutationRefusal>;
  claim(input: Args): Promise<any>;
}

/** Creates an agent over REST. */
export async function createAgent(space: Workspace, name = `Agent ${randomUUID().slice(0, 4)}`): Promise<TestAgent> {
  const { status, body } = await space.rest("POST", "/api/agents", { name });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return toTestAgent(space.url, { id: String(body.id), name, token: String(body.token) });
}

/** Returns shortcuts for requests with an agent's key at any server. */
export function toTestAgent(url: string, agent: { id: string; name: string; token: string }): TestAgent {
  const graphql: Tenant["graphql"] = (query, variables) => sendGraphQL(url, agent.token, { query, variables });
  const does: TestAgent["does"] = async (mutation, args, selection) => {
    const { data, errors } = await performMutation({ graphql }, mutation, args, selection);
    if (errors) throw new Error(JSON.stringify(errors));
    return data[mutation];
  };
  return {
    ...agent,
    graphql,
    does,
    refuses: async (mutation, args) => toRefusal(await performMutation({ graphql }, mutation, args)),
    claim: (input) => does("issueClaim", { input }, CLAIM_FIELDS),
  };
}

/** Simulates that the time of a lease passes: moves all times of the lease into the past. */
export async function moveLeaseTimes(issueId: string, seconds: number): Promise<void> {
  const moments = ["grantedAt", "renewedAt", "expiresAt", "checkAt"];
  const earlierBy = moments
    .map((name) => `"${name}" = ${earlierSql(`"${name}"`, "make_interval(secs => $2)")}`)
    .join(", ");
  const text = `update "issueLease" set ${earlierBy} where id = $1`;
  await (await startSharedServer()).runtime.db.query({ text, values: [issueId, seconds] });
}
