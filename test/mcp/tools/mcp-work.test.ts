import { expect } from "chai";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { connectSharedClient } from "../../support/mcp.ts";
import { startWorkingSession } from "../../support/recording/agent-work.ts";
import { createAgent, type TestAgent } from "../../support/tracker/work.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

describe("the MCP tools for work", () => {
  let space: Workspace;
  let agent: TestAgent;
  before(async () => {
    space = await createWorkspace();
    agent = await createAgent(space, "Ada");
  });
  const as = async (key: string) => connectSharedClient({ ...space, apiKey: key });

  it("claim the next issue and complete it in two calls", async () => {
    const { id, identifier } = await space.issue({ priority: 1, description: "All of it." });
    const { call } = await as(agent.token);
    const next = await call("next_issue", { team: "ENG", session_id: "s-1" });
    expect(next.data.issue).to.include({ id: identifier, description: "All of it.", fence: 1, state: "In Progress" });
    const done = await call("finish_issue", { issue: identifier, summary: "Did it.", fence: next.data.issue.fence });
    expect(done.data.issue).to.include({ id: identifier, state: "Done" });
    const { issue } = await space.gql(
      `{ issue(id: "${id}") { lease { fence } comments { nodes { body user { name } } } } }`,
    );
    expect(issue).to.deep.equal({ lease: null, comments: { nodes: [{ body: "Did it.", user: { name: "Ada" } }] } });
  });

  it("show the next issue without claiming it, and suggest an action when there is none", async () => {
    await space.does("issueLabelCreate", { input: { name: "rare" } });
    const { call } = await as(agent.token);
    const nothing = await call("next_issue", { labels: ["rare"] });
    const words = 'Nothing is ready with "rare". See list_issues with state: open for what is blocked or held.';
    expect(nothing).to.include({ isError: true, text: words });
    const { issueLabels } = await space.gql(`{ issueLabels { nodes { id } } }`);
    const { identifier } = await space.issue({ labelIds: [issueLabels.nodes[0].id] });
    const shown = await call("next_issue", { labels: ["rare"], claim: false });
    expect(shown.data.issue).to.include({ id: identifier, state: "Backlog" }).and.not.have.property("fence");
    expect((await call("next_issue", { labels: ["rare"] })).data.issue).to.include({ id: identifier, fence: 1 });
    const none = await call("next_issue", { labels: ["rare"], claim: false });
    expect(none.text).to.equal(words);
    const inTeam = await call("next_issue", { team: "Eng", labels: ["rare"] });
    expect(inTeam.text).to.equal(words.replace("with", 'in team "Eng" with'));
  });

  it("show the required proof and the previous work when claiming", async () => {
    const proving = await createWorkspace();
    await proving.does("teamUpdate", { id: proving.teamId, input: { proof: { commands: ["npm test"] } } });
    const { id, identifier } = await proving.issue();
    const { call } = await connectSharedClient(proving);
    const session = await startWorkingSession(proving, "Mend the parser");
    const first = (await call("next_issue", { session_id: session.id })).data.issue;
    expect(first).to.deep.include({ id: identifier, proof_commands: ["npm test"] });
    expect(first).to.not.have.any.keys("handover", "changed_now");
    await session.runs("npm test", 1, "expected 2 rows, got 1");
    await call("release_issue", { issue: identifier, fence: first.fence });
    expect((await call("get_issue", { issue: identifier })).data.issue).to.not.have.property("handover");
    const shown = (await call("get_issue", { issue: identifier, handover: true })).data.issue.handover;
    expect(shown).to.contain(`# Handover of ${identifier}`).and.contain("expected 2 rows, got 1");
    for (const claim of [await call("next_issue", { claim: false }), await call("claim_issue", { issue: id })])
      expect(claim.data.issue.handover).to.equal("get_issue with handover: true shows what was done before");
  });

  it("link, claim, show and release", async () => {
    const [one, other] = [(await space.issue()).identifier, (await space.issue()).identifier];
    const { call } = await as(agent.token);
    const link = await call("link_issues", { issue: one, type: "blocked_by", to: other });
    expect(link.data.relation).to.deep.equal({ issue: other, type: "blocks", to: one });
    expect((await call("claim_issue", { issue: one })).text).to.contain(`blocked by ${other}`);
    await call("link_issues", { issue: other, type: "discovered", to: one });
    await call("claim_issue", { issue: other });
    const shown = (await call("get_issue", { issue: other })).data.issue;
    expect(shown).to.include({ holder: "Ada", delegate: "Ada", fence: 1 });
    expect(shown.relations.map(({ type, id }: any) => [type, id])).to.have.deep.members([
      ["blocks", one],
      ["discovered", one],
    ]);
    const blocked = (await call("get_issue", { issue: one })).data.issue;
    expect(blocked.blocked_by).to.deep.equal([{ id: other, title: "An issue", state: "In Progress" }]);
    expect(blocked.relations).to.deep.equal([{ type: "led_to", id: other, title: "An issue", state: "In Progress" }]);
    const person = await connectSharedClient(space);
    const refused = await person.call("finish_issue", { issue: other, summary: "Mine." });
    expect(refused).to.include({ isError: true });
    expect(refused.text).to.contain("Ada holds");
    expect((await call("release_issue", { issue: other, fence: 7 })).text).to.contain("stale");
    expect((await call("release_issue", { issue: other, comment: "No time." })).data.issue.state).to.equal("Backlog");
  });

  it("refuse a cycle of blockers with the tool to call, and name the parameter of either direction", async () => {
    const [issue, to] = [(await space.issue()).identifier, (await space.issue()).identifier];
    const { call } = await as(agent.token);
    await call("link_issues", { issue, type: "blocks", to });
    const circle = await call("link_issues", { issue, type: "blocked_by", to });
    expect(circle.text).to.match(
      /^they would block each other in a circle: .* → .*\. Remove one of these relations with unlink_issues/,
    );
    for (const type of ["blocks", "blocked_by"]) {
      expect((await call("link_issues", { issue: "ZZZ-1", type, to })).text).to.match(/^issue: no issue ZZZ-1/);
      expect((await call("link_issues", { issue, type, to: "ZZZ-1" })).text).to.match(/^to: no issue ZZZ-1/);
    }
  });

  it("prime a new agent with at most 1,000 tokens for any amount of data", async () => {
    const big = await createWorkspace();
    const ada = await createAgent(big, "Ada of the very long name that nobody remembers ".repeat(3));
    const title = "Something long that has to be said in a title of very many words, over and over ".repeat(5);
    const issues = [];
    for (let n = 0; n < 30; n += 1) issues.push(await big.issue({ title: `${n} ${title}`, priority: n % 5 }));
    for (const { id } of issues.slice(0, 10)) await ada.claim({ id });
    for (const { id } of issues.slice(11, 20))
      await big.does("issueRelationCreate", { input: { type: "blocks", issueId: issues[10].id, relatedIssueId: id } });
    const { client } = await connectSharedClient({ ...big, apiKey: ada.token });
    for (const args of [{}, { team: "ENG" }]) {
      const { messages } = await client.getPrompt({ name: "prime", arguments: args });
      const text = String((messages[0]?.content as { text: string } | undefined)?.text);
      expect(messages).to.have.length(1);
      expect(countTokens(text)).to.be.at.most(1_000);
      expect(text).to.match(/Yours, in progress:\n- ENG-\d+ /);
      expect(text).to.contain(`- ${issues[21].identifier} `);
      expect(text).to.contain(`by ${issues[10].identifier}`);
    }
  }).timeout(60_000);
});
