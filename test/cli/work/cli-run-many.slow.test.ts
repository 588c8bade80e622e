import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { createRunnerMachine } from "../../support/cli/runner.ts";
import { createAgent } from "../../support/tracker/work.ts";
import { createWorkspace } from "../../support/workspace.ts";

describe("two concurrent runs of trackway run", () => {
  it("complete each issue once, although one run is killed with its agents, and leave no worktree", async () => {
    const space = await createWorkspace();
    const agent = await createAgent(space, "Runner");
    const at = createRunnerMachine(space, agent);
    const issues: { id: string; identifier: string }[] = [];
    for (let n = 0; n < 20; n += 1) issues.push(await space.issue({ title: `Work ${n}` }));
    const pairs = issues.slice(2).map((issue, n) => [issues[Math.floor(n / 2)], issue] as const);
    for (const [one, other] of pairs)
      await space.does("issueRelationCreate", {
        input: { type: "blocks", issueId: one?.id, relatedIssueId: other.id },
      });
    const first = at.start("--parallel", "2");
    while (at.attempts().length < 3) await sleep(20);
    first.kill("SIGKILL");
    await once(first, "exit");
    for (const [, group] of at.git("worktree", "list", "--porcelain").matchAll(/agent (\d+)/g)) {
      try {
        process.kill(-Number(group), "SIGKILL");
      } catch {
        // The process group had already ended.
      }
    }
    // The claims of the killed run would expire after five minutes. A user who sees that the run is dead can release
    // them.
    for (const { id } of issues) await space.graphql(`mutation { issueRelease(id: "${id}") { success } }`);
    const second = at.start("--parallel", "2");
    await once(second, "exit");
    const { nodes } = (
      await space.gql(
        "{ issues(first: 50) { nodes { identifier state { type } branchName comments { nodes { body } } } } }",
      )
    ).issues;
    expect(nodes.filter(({ state }: any) => state.type !== "completed")).to.deep.equal([]);
    for (const { identifier, comments, branchName } of nodes) {
      const finished = comments.nodes.filter(({ body }: any) => body.startsWith("Commit "));
      expect(finished, identifier).to.have.lengthOf(1);
      expect(at.git("show", `${branchName}:${identifier}.txt`)).to.match(/^Work /);
    }
    const order = at.attempts().map(({ id }) => id);
    for (const [one, other] of pairs)
      expect(order.lastIndexOf(String(one?.identifier))).to.be.lessThan(order.indexOf(other.identifier));
    expect([at.worktrees(), at.git("worktree", "list").split("\n").length]).to.deep.equal([[], 1]);
  });
});
