import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { countRecorded } from "../../../server/jobs/analytics.ts";
import { call, sharedServer } from "../../support/server.ts";
import { freshWorkspace, type Workspace } from "../../support/workspace.ts";

const COMPARISON = `query ($id: String!) { recordedFailureComparison(failureGroupId: $id) {
  failed others differences { name value failed others } } }`;

interface Run {
  user: string;
  branch: string;
  args: string;
  fails?: true;
  tool?: string;
}

/** Records a session of one call. */
async function record({ url, ingestKey }: Workspace, { user, branch, args, fails, tool = "refund" }: Run) {
  const headers = { "x-api-key": ingestKey };
  const session_id = randomUUID();
  const session = { session_id, user_data: { user_id: user }, metadata: { branch, attempt: 1, nested: { a: 1 } } };
  const event = {
    event_id: randomUUID(),
    session_id,
    primitive_name: tool,
    primitive_type: "tool",
    args,
    result: fails ? "Error: token lacks a scope" : "ok",
    success: !fails,
    timestamp: Date.now() - 60_000,
  };
  expect((await call(url, "POST", "/api/v1/capture-session", { body: session, headers })).status).to.equal(200);
  expect((await call(url, "POST", "/api/v1/capture-events", { body: { events: [event] }, headers })).status).to.equal(
    202,
  );
}

async function comparedOf(space: Workspace, runs: readonly Run[]) {
  for (const run of runs) await record(space, run);
  await countRecorded((await sharedServer()).runtime);
  const { recordedFailureGroups } = await space.gql("{ recordedFailureGroups { nodes { id } } }");
  const [{ id }] = recordedFailureGroups.nodes;
  return { id, ...(await space.gql(COMPARISON, { id })).recordedFailureComparison };
}

describe("a group of failures beside calls that succeeded", () => {
  it("tells values of sessions and arguments that only those that failed have, each counted", async () => {
    const space = await freshWorkspace();
    const worked = [1, 2, 3, 4].map((n) => ({
      user: n % 2 ? "ada" : "bea",
      branch: "main",
      args: `{"key":"old","n":${n}}`,
    }));
    const failed: Run[] = [1, 2, 3].map((n) => ({
      user: "ada",
      branch: n < 3 ? "beta" : "main",
      args: `{"key": "it's \\"new\\"", "n": ${n}, "list": {"deep": true}}`,
      fails: true,
    }));
    const elsewhere: Run = { user: "ada", branch: "beta", args: '{"key":"old"}', tool: "other" };
    const { failed: sessions, others, differences } = await comparedOf(space, [...worked, ...failed, elsewhere]);
    expect([sessions, others]).to.deep.equal([3, 4]);
    expect(differences).to.deep.equal([
      { name: "deep", value: "true", failed: 3, others: 0 },
      { name: "key", value: 'it\'s \\"new\\"', failed: 3, others: 0 },
      { name: "branch", value: "beta", failed: 2, others: 0 },
      { name: "user", value: "ada", failed: 3, others: 2 },
    ]);
  });

  it("tells nothing of a single failure, of texts that are no JSON, and where no call succeeded", async () => {
    const space = await freshWorkspace();
    const run: Run = { user: "ada", branch: "main", args: 'rm -rf "\u0000\\ud800 {"a":', fails: true };
    expect(await comparedOf(space, [run, run]))
      .to.include({ failed: 2, others: 0 })
      .and.have.deep.property("differences", []);
    const other = await freshWorkspace();
    const one = await comparedOf(other, [run, { user: "bea", branch: "beta", args: "no JSON either" }]);
    expect(one).to.include({ failed: 1, others: 1 }).and.have.deep.property("differences", []);
  });

  it("is empty for somebody of another organization, and no group at all for a text", async () => {
    const space = await freshWorkspace();
    const { id } = await comparedOf(space, [{ user: "ada", branch: "main", args: "{}", fails: true }]);
    const other = await freshWorkspace();
    const { recordedFailureComparison } = await other.gql(COMPARISON, { id });
    expect(recordedFailureComparison).to.deep.equal({ failed: 0, others: 0, differences: [] });
    const { errors } = await other.graphql(COMPARISON, { id: "no id" });
    expect(errors?.[0]?.extensions.code).to.equal("NOT_FOUND");
  });
});
