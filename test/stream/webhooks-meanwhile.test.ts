import { expect } from "chai";
import fc from "fast-check";
import { scaleRuns } from "../support/run/runs.ts";
import { callRestApi, sendGraphQL, startServer, startSharedServer } from "../support/server.ts";
import { createWorkspace, performMutation, type Workspace } from "../support/workspace.ts";

const CREATE = "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { lastSyncId } }";
const TARGET = "https://example.com/";

type Step = { does: "create" | "comment" | "register" | "enable" | "disable" | "delete"; server: number; hook: number };
const step: fc.Arbitrary<Step> = fc.record({
  does: fc.constantFrom("create", "create", "comment", "register", "enable", "disable", "delete"),
  server: fc.nat(1),
  hook: fc.nat(5),
});

/**
 * An organization, its webhooks with enabled or disabled, and the servers that change the organization: two servers
 * if the database can be shared.
 */
async function scene() {
  const space = await createWorkspace();
  const shared = (await startSharedServer()).runtime.db.engine !== "embedded";
  const servers = shared ? [space.url, (await startServer()).url] : [space.url];
  const hooks = new Map<string, boolean>();
  const { id: issueId } = await space.issue();
  const rest = async (server: number, method: string, path: string, body?: Record<string, unknown>) => {
    const reply = await callRestApi(String(servers[server % servers.length]), method, `/api/webhooks${path}`, {
      ...(body && { body }),
      headers: { Authorization: `Bearer ${space.accessToken}` },
    });
    expect(reply.status).to.be.oneOf([200, 201, 204]);
    return reply.body as { id: string };
  };
  const mutate = async (server: number, query: string, variables: Record<string, unknown>) => {
    const url = String(servers[server % servers.length]);
    const { data, errors } = await sendGraphQL(url, space.apiKey, { query, variables });
    if (errors) throw new Error(JSON.stringify(errors));
    return Object.values(data as Record<string, { lastSyncId: number }>)[0]?.lastSyncId ?? 0;
  };
  const create = (server: number) => mutate(server, CREATE, { input: { teamId: space.teamId, title: "One" } });
  const comment = (server: number) =>
    mutate(server, "mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { lastSyncId } }", {
      input: { issueId, body: "x" },
    });
  return { space, hooks, rest, create, comment };
}

async function take({ hooks, rest, create, comment }: Awaited<ReturnType<typeof scene>>, { does, server, hook }: Step) {
  if (does === "create") return create(server);
  if (does === "comment") return comment(server);
  if (does === "register") {
    hooks.set((await rest(server, "POST", "", { target: TARGET })).id, true);
    return undefined;
  }
  const id = [...hooks.keys()][hook % hooks.size];
  if (id === undefined) return undefined;
  await rest(
    server,
    does === "delete" ? "DELETE" : "PATCH",
    `/${id}`,
    does === "delete" ? undefined : { enabled: does === "enable" },
  );
  if (does === "delete") hooks.delete(id);
  else hooks.set(id, does === "enable");
  return undefined;
}

/** Returns the number of deliveries of each change. */
async function deliveriesOf({ organizationId }: Workspace): Promise<Map<number, number>> {
  const text = `select "lastSyncId" as n, count(*)::integer as deliveries from delivery where "organizationId" = $1 group by 1`;
  const { db } = (await startSharedServer()).runtime;
  const rows = await db.query<{ n: number; deliveries: number }>({ text, values: [organizationId] });
  return new Map(rows.map(({ n, deliveries }) => [Number(n), deliveries]));
}

describe("webhooks created or deleted between changes", () => {
  it("receive the next change from every server, also from a server that knew no webhook", async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 24 }), async (steps) => {
      const world = await scene();
      for (const server of [0, 1, 0, 0]) await world.create(server);
      for (const each of steps) {
        const change = await take(world, each);
        if (change === undefined) continue;
        const enabled = [...world.hooks.values()].filter(Boolean).length;
        const told = (await deliveriesOf(world.space)).get(change) ?? 0;
        // Deleting a webhook deletes its deliveries.
        expect([each.does, told]).to.deep.equal([each.does, enabled]);
      }
    });
    await fc.assert(property, { numRuns: scaleRuns(8) });
  });

  it("receive later changes of the same transaction, and no earlier changes", async () => {
    const space = await createWorkspace();
    for (let round = 0; round < 4; round += 1) await space.issue();
    const issue = () => performMutation(space, "issueCreate", { input: { teamId: space.teamId, title: "x" } });
    const hook = () => performMutation(space, "webhookCreate", { input: { url: TARGET, resourceTypes: ["Issue"] } });
    const before = Array.from({ length: 12 }, issue);
    const registered = hook();
    const after = Array.from({ length: 12 }, issue);
    const from = (await registered).data.webhookCreate.lastSyncId;
    await Promise.all([...before, ...after]);
    const issues = (await space.log()).filter(({ type }) => type === "Issue").map(({ lastSyncId }) => lastSyncId);
    const told = [...(await deliveriesOf(space)).keys()].sort((one, other) => one - other);
    expect(told).to.deep.equal(issues.filter((number) => number > from));
  });
});
