import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { leastCalls, runTask } from "../../../bench/tasks/run.ts";
import { freshScene } from "../../../bench/tasks/scene.ts";
import { TASKS } from "../../../bench/tasks/tasks.ts";
import { connectSharedClient, type McpClient } from "../../support/mcp.ts";
import { createOrganization, callRestApi as rest, type Tenant } from "../../support/server.ts";

/**
 * Counts the tokens that a model would spend: for the arguments that the model writes and the results that the model
 * reads.
 */
function counting({ call }: McpClient) {
  const spent = { calls: 0, tokens: 0 };
  const counted: McpClient["call"] = async (tool, args = {}) => {
    const answer = await call(tool, args);
    spent.calls += 1;
    spent.tokens += countTokens(JSON.stringify({ tool, args })) + countTokens(answer.text);
    return answer;
  };
  return { spent, call: counted };
}

async function withTeam(): Promise<Tenant & { mcp: McpClient }> {
  const tenant = await createOrganization();
  await tenant.gql(`mutation { teamCreate(input: { key: "ENG", name: "Engineering" }) { success } }`);
  await tenant.gql(`mutation { issueLabelCreate(input: { name: "bug" }) { success } }`);
  return { ...tenant, mcp: await connectSharedClient(tenant, { "x-mcp-toolsets": "all" }) };
}

async function recordFailure({ url, ingestKey }: Tenant): Promise<void> {
  const ids = { session_id: randomUUID(), event_id: randomUUID() };
  const said = { primitive_name: "support-bot", args: "Run the tests again, please.", result: "They timed out." };
  const failed = { primitive_name: "run_tests", args: `{"path":"."}`, result: `{"error":"timeout after 30 s"}` };
  const call = {
    ...failed,
    session_id: ids.session_id,
    event_id: randomUUID(),
    parent_id: ids.event_id,
    success: false,
  };
  const body = { events: [{ ...ids, ...said }, call] };
  await rest(url, "POST", "/api/v1/capture-events", { headers: { "x-api-key": ingestKey }, body });
}

describe("a task with the MCP tools:", () => {
  it("assigning the newest urgent bug of a team to the user takes 2 calls and at most 250 tokens", async () => {
    const { mcp } = await withTeam();
    for (const title of ["Old crash", "New crash"])
      await mcp.call("create_issue", { team: "ENG", title, priority: "urgent", labels: ["bug"] });
    await mcp.call("create_issue", { team: "ENG", title: "Newest, but no bug", priority: "urgent" });
    const { call, spent } = counting(mcp);
    const found = await call("list_issues", { team: "ENG", priority: "urgent", labels: ["bug"], limit: 1 });
    const issue = found.data.issues[0].id;
    const { data } = await call("update_issue", { issue, assignee: "me" });
    expect(data.issue).to.include({ title: "New crash", assignee: "Olive Owner" });
    expect(spent.calls).to.equal(2);
    expect(spent.tokens).to.be.at.most(250);
  });

  it("filing a bug from the last failed session takes 2 calls and at most 350 tokens", async () => {
    const tenant = await withTeam();
    await recordFailure(tenant);
    const { call, spent } = counting(tenant.mcp);
    const { sessions } = (await call("list_sessions", { failed: true, limit: 1 })).data;
    const { data } = await call("create_issue_from_session", {
      session_id: sessions[0].id,
      team: "ENG",
      labels: ["bug"],
    });
    expect(data.reports).to.have.length(1);
    expect(spent.calls).to.equal(2);
    expect(spent.tokens).to.be.at.most(350);
  });

  it("claiming the next issue and completing it takes 2 calls and at most 300 tokens, or 3 with a read in between", async () => {
    const tenant = await withTeam();
    const rest = { priority: "high", labels: ["bug"], description: "It fails each night at the change of the date." };
    for (const title of ["The login fails", "The clock is wrong"])
      await tenant.mcp.call("create_issue", { team: "ENG", title, ...rest });
    const { call, spent } = counting(await connectSharedClient(tenant));
    const { issue } = (await call("next_issue", { team: "ENG" })).data;
    const summary = "Compared dates in UTC; a test holds it.";
    const done = await call("finish_issue", { issue: issue.id, summary, fence: issue.fence });
    expect(done.data.issue).to.include({ id: "ENG-1", state: "Done" });
    expect(spent.calls).to.equal(2);
    expect(spent.tokens).to.be.at.most(300);
    const longer = counting(await connectSharedClient(tenant));
    const next = (await longer.call("next_issue")).data.issue;
    expect((await longer.call("get_issue", { issue: next.id })).data.issue).to.include({
      holder: "Olive Owner",
      fence: 1,
    });
    await longer.call("finish_issue", { issue: next.id, summary });
    expect(longer.spent.calls).to.equal(3);
    expect(longer.spent.tokens).to.be.at.most(500);
  });

  it("filing the same bug with the default tools takes 3 calls and at most 700 tokens", async () => {
    const tenant = await withTeam();
    await recordFailure(tenant);
    const { call, spent } = counting(await connectSharedClient(tenant));
    const { sessions } = (await call("list_sessions", { failed: true, limit: 1 })).data;
    const { session } = (await call("get_session", { session_id: sessions[0].id })).data;
    const failed = session.tree.split("\n").find((line: string) => line.includes("FAILED"));
    const bug = {
      team: "ENG",
      title: "run_tests times out",
      labels: ["bug"],
      description: `${failed}\nSession ${session.id}`,
    };
    const { data } = await call("create_issue", bug);
    expect(data.issue.id).to.equal("ENG-1");
    expect(spent.calls).to.equal(3);
    expect(spent.tokens).to.be.at.most(700);
  });
});

describe("the forty tasks of the bench", () => {
  it("have the expected results, with 45 calls", async () => {
    const unchanged = await freshScene();
    const outcomes = [];
    for (const task of Object.values(TASKS).flat())
      outcomes.push(await runTask(task, leastCalls, task.state || task.recorded ? undefined : unchanged));
    expect(outcomes.filter(({ fault }) => fault !== "")).to.deep.equal([]);
    expect(outcomes).to.have.length(40);
    expect(outcomes.reduce((sum, { calls }) => sum + calls, 0)).to.equal(45);
  }).timeout(180_000);
});
