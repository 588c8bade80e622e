import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { updateHourAndGroupCounts } from "../../../server/jobs/analytics.ts";
import { callRestApi, startSharedServer } from "../../support/server.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

const COMPARISON = `query ($id: String!) { recordedFailureComparison(failureGroupId: $id) {
  failed others differences { name value failed others } } }`;

interface Run {
  user: string;
  branch: string;
  args: string;
  fails?: true;
  tool?: string;
}

/** Records a session with one call. */
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
  expect((await callRestApi(url, "POST", "/api/v1/capture-session", { body: session, headers })).status).to.equal(200);
  expect(
    (await callRestApi(url, "POST", "/api/v1/capture-events", { body: { events: [event] }, headers })).status,
  ).to.equal(202);
}

async function comparedOf(space: Workspace, runs: readonly Run[]) {
  for (const run of runs) await record(space, run);
  await updateHourAndGroupCounts((await startSharedServer()).runtime);
  const { recordedFailureGroups } = await space.gql("{ recordedFailureGroups { nodes { id } } }");
  const [{ id }] = recordedFailureGroups.nodes;
  return { id, ...(await space.gql(COMPARISON, { id })).recordedFailureComparison };
}

describe("recordedFailureComparison", () => {
  it("lists session and argument values that occur only in failed calls, with counts", async () => {
    const space = await createWorkspace();
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

  it("is empty for a single failure, for arguments that are not JSON, and without a successful call", async () => {
    const space = await createWorkspace();
    const run: Run = { user: "ada", branch: "main", args: 'rm -rf "\u0000\\ud800 {"a":', fails: true };
    expect(await comparedOf(space, [run, run]))
      .to.include({ failed: 2, others: 0 })
      .and.have.deep.property("differences", []);
    const other = await createWorkspace();
    const one = await comparedOf(other, [run, { user: "bea", branch: "beta", args: "no JSON either" }]);
    expect(one).to.include({ failed: 1, others: 1 }).and.have.deep.property("differences", []);
  });

  it("is empty for another organization's group, and fails for an id that is no group", async () => {
    const space = await createWorkspace();
    const { id } = await comparedOf(space, [{ user: "ada", branch: "main", args: "{}", fails: true }]);
    const other = await createWorkspace();
    const { recordedFailureComparison } = await other.gql(COMPARISON, { id });
    expect(recordedFailureComparison).to.deep.equal({ failed: 0, others: 0, differences: [] });
    const { errors } = await other.graphql(COMPARISON, { id: "no id" });
    expect(errors?.[0]?.extensions.code).to.equal("NOT_FOUND");
  });
});
