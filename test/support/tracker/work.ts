import { randomUUID } from "node:crypto";
import { earlier } from "../db/database.ts";
import { sendGraphQL, sharedServer, type Tenant } from "../server.ts";
import { perform, type Refusal, refusalOf, type Workspace } from "../workspace.ts";

type Args = Record<string, unknown>;

/** The fields of a lease. */
export const LEASE = "lease { fence holder { id name } sessionId expiresAt grantedAt ttlSeconds }";
/** The fields of a claim's answer. */
export const CLAIMED = `lastSyncId issue { id identifier state { id name type } assignee { id } delegate { id } } ${LEASE}`;

/** An agent of an organization, acting by its own key. */
export interface TestAgent extends Pick<Tenant, "graphql"> {
  id: string;
  name: string;
  token: string;
  does(mutation: string, args: Args, selection?: string): Promise<any>;
  refuses(mutation: string, args: Args): Promise<Refusal>;
  claim(input: Args): Promise<any>;
}

/** Makes an agent over REST. */
export async function freshAgent(space: Workspace, name = `Agent ${randomUUID().slice(0, 4)}`): Promise<TestAgent> {
  const { status, body } = await space.rest("POST", "/api/agents", { name });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return agentOf(space.url, { id: String(body.id), name, token: String(body.token) });
}

/** The short ways to work by an agent's key, at whichever server. */
export function agentOf(url: string, agent: { id: string; name: string; token: string }): TestAgent {
  const graphql: Tenant["graphql"] = (query, variables) => sendGraphQL(url, agent.token, { query, variables });
  const does: TestAgent["does"] = async (mutation, args, selection) => {
    const { data, errors } = await perform({ graphql }, mutation, args, selection);
    if (errors) throw new Error(JSON.stringify(errors));
    return data[mutation];
  };
  return {
    ...agent,
    graphql,
    does,
    refuses: async (mutation, args) => refusalOf(await perform({ graphql }, mutation, args)),
    claim: (input) => does("issueClaim", { input }, CLAIMED),
  };
}

/** Lets the time of a lease pass: everything about it was that much earlier. */
export async function leasePasses(issueId: string, seconds: number): Promise<void> {
  const moments = ["grantedAt", "renewedAt", "expiresAt", "checkAt"];
  const earlierBy = moments
    .map((name) => `"${name}" = ${earlier(`"${name}"`, "make_interval(secs => $2)")}`)
    .join(", ");
  const text = `update "issueLease" set ${earlierBy} where id = $1`;
  await (await sharedServer()).runtime.db.query({ text, values: [issueId, seconds] });
}
