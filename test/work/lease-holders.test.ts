import { expect } from "chai";
import fc from "fast-check";
import { createAgentShell } from "../support/cli/cli.ts";
import { connectSharedClient } from "../support/mcp.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { startServer } from "../support/server.ts";
import { createAgent, LEASE_FIELDS, type TestAgent, toTestAgent } from "../support/tracker/work.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const SESSIONS = [undefined, "s-1", "s-2"];
const TTLS = [60, 3_600, 86_400];

/** A step of the test: the agent, the session, the requested time, and the sent fence relative to the current fence. */
interface Step {
  does: "claim" | "renew" | "release";
  who: number;
  session: string | undefined;
  ttl: number | undefined;
  fence: number | undefined;
}

/** A lease in the model. */
interface Held {
  who: number;
  session: string | undefined;
  ttl: number;
}

describe("a lease", () => {
  let space: Workspace;
  let agents: TestAgent[];
  before(async () => {
    space = await createWorkspace();
    agents = [await createAgent(space, "Ada"), await createAgent(space, "Bob")];
  });
  const agent = (at: number) => agents[at] as TestAgent;
  const leaseOf = async (id: string) => (await space.gql(`{ issue(id: "${id}") { ${LEASE_FIELDS} } }`)).issue.lease;

  /** Returns the lease after a step, or "refused", by the rules of docs/work.md. */
  function next(held: Held | undefined, { does, who, session, ttl, fence }: Step): Held | "free" | "refused" {
    const own = held?.who === who && held.session === session;
    if (does === "claim") return held ? (own ? held : "refused") : { who, session, ttl: ttl ?? 1_800 };
    if (!held || (fence !== undefined && fence !== 0)) return "refused";
    // An agent can write to an issue held by another agent only with the fence of the claim.
    if (fence === undefined && held.who !== who) return "refused";
    if (does === "release") return "free";
    const names = session !== undefined && held.session === undefined && held.who === who && fence === 0;
    if (session !== undefined && session !== held.session && !names) return "refused";
    const holds = held.who === who && (fence === 0 || session !== undefined);
    if (!holds && (ttl === undefined || ttl >= held.ttl)) return "refused";
    return { ...held, session: names ? session : held.session, ttl: ttl ?? held.ttl };
  }

  async function send(id: string, fence: number, { does, who, session, ttl, fence: sent }: Step): Promise<boolean> {
    const given = sent === undefined ? undefined : fence + sent;
    const [mutation, args] = {
      claim: ["issueClaim", { input: { id, sessionId: session, ttlSeconds: ttl } }] as const,
      renew: ["issueRenew", { id, fence: given, ttlSeconds: ttl, ...(session && { sessionId: session }) }] as const,
      release: ["issueRelease", { id, fence: given }] as const,
    }[does];
    const done = agent(who)
      .does(mutation, args)
      .then(() => true);
    return done.catch((error: Error) => {
      expect(error.message).to.contain('"code":"CONFLICT"');
      return false;
    });
  }

  async function follow(steps: readonly Step[]): Promise<void> {
    const { id } = await space.issue();
    let [held, fence]: [Held | undefined, number] = [undefined, 0];
    for (const [at, step] of steps.entries()) {
      const then = next(held, step);
      const words = `after ${JSON.stringify(steps.slice(0, at + 1))}`;
      expect(await send(id, fence, step), words).to.equal(then !== "refused");
      if (then === "refused") continue;
      if (!held) fence += 1;
      held = then === "free" ? undefined : then;
      const lease = await leaseOf(id);
      const { who, session, ttl } = held ?? {};
      const expected = held && { fence, holder: who, session: session ?? null, ttl };
      const shown = lease && {
        fence: lease.fence,
        holder: agents.findIndex((each) => each.id === lease.holder.id),
        session: lease.sessionId,
        ttl: lease.ttlSeconds,
      };
      expect(shown ?? undefined, words).to.deep.equal(expected);
    }
  }

  it("belongs to a user and a session: others cannot claim or extend it", async () => {
    const step = fc.record<Step>({
      does: fc.constantFrom("claim", "claim", "renew", "renew", "release"),
      who: fc.nat(1),
      session: fc.constantFrom(...SESSIONS),
      ttl: fc.constantFrom(undefined, ...TTLS),
      fence: fc.constantFrom(undefined, undefined, 0, 0, -1, 1),
    });
    const first: Step = { does: "claim", who: 0, session: "s-1", ttl: 60, fence: undefined };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), follow), {
      numRuns: scaleRuns(25),
      examples: [
        [[first, { ...first, session: "s-2" }]],
        [[first, { ...first, session: undefined }]],
        [[first, { ...first, does: "renew", who: 1, ttl: 86_400, session: undefined }]],
        [[first, { ...first, does: "renew", who: 1, ttl: 86_400, session: undefined, fence: 0 }]],
        [[{ ...first, session: undefined }, { ...first, does: "renew", session: "s-2", fence: 0 }, first]],
      ],
    });
  }).timeout(120_000);

  it("is won by one of many simultaneous claims at any server, and a repeated claim returns the same lease", async () => {
    const more = process.env["TEST_DATABASE_URL"] ? [await startServer(), await startServer()] : [];
    const urls = [space, ...more].map(({ url }) => url);
    for (let round = 0; round < 4; round += 1) {
      const { id } = await space.issue();
      const all = [0, 1].flatMap((who) => SESSIONS.map((sessionId) => ({ who, sessionId })));
      const asked = [...all, ...all].map(async ({ who, sessionId }, at) => {
        const client = toTestAgent(urls[(at + round) % urls.length] ?? space.url, agent(who));
        const query = `mutation ($input: IssueClaimInput!) { issueClaim(input: $input) { ${LEASE_FIELDS} } }`;
        const { data, errors } = await client.graphql(query, { input: { id, sessionId } });
        return { who: agent(who).id, session: sessionId ?? null, lease: data?.issueClaim?.lease, errors };
      });
      const replies = await Promise.all(asked);
      const lease = await leaseOf(id);
      for (const { who, session, lease: given, errors } of replies) {
        const holds = lease.holder.id === who && lease.sessionId === session;
        if (holds) expect(given).to.deep.equal(lease);
        else expect(String(errors?.[0]?.message)).to.contain(lease.sessionId ?? lease.holder.name);
      }
    }
  });

  it("is not shared by two sessions of one key, with MCP tools and at the command line", async () => {
    const [one, other] = [(await space.issue()).identifier, (await space.issue()).identifier];
    const { call } = await connectSharedClient({ ...space, apiKey: agent(0).token });
    const shell = createAgentShell(space.url, agent(0).token);
    const as = (TRACKWAY_SESSION: string, ...args: string[]) => shell.run(args, { env: { TRACKWAY_SESSION } });

    const { fence } = (await call("claim_issue", { issue: one, session_id: "s-1" })).data.issue;
    expect((await call("claim_issue", { issue: one, session_id: "s-1" })).data.issue.fence).to.equal(fence);
    for (const refused of [
      await call("claim_issue", { issue: one, session_id: "s-2" }),
      await call("claim_issue", { issue: one }),
      await call("finish_issue", { issue: one, summary: "Not mine." }),
      await call("release_issue", { issue: one }),
    ]) {
      expect(refused.isError, refused.text).to.equal(true);
      expect(refused.text)
        .to.contain(`Ada holds ${one} in session s-1`)
        .and.to.match(/claim another with next_issue|claim another issue/);
    }
    for (const command of ["claim", "done", "release"]) {
      const { code, stderr } = await as("s-2", command, one);
      expect([code, stderr]).to.have.nested.property("[0]", 4);
      expect(stderr).to.contain(`Ada holds ${one} in session s-1`).and.to.contain("try: ");
    }
    expect((await as("s-1", "done", one)).code).to.equal(0);

    expect((await as("s-1", "claim", other)).code).to.equal(0);
    expect((await as("s-2", "claim", other)).code).to.equal(4);
    expect((await call("claim_issue", { issue: other })).isError).to.equal(true);
    expect((await as("s-1", "release", other)).code).to.equal(0);
    expect((await as("s-2", "claim", other)).code).to.equal(0);
  }).timeout(120_000);
});
