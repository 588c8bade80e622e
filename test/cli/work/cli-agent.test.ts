import { expect } from "chai";
import { createAgentShell } from "../../support/cli/cli.ts";
import { createManualAgent, readManual } from "../../support/cli/help-agent.ts";
import { createAgent } from "../../support/tracker/work.ts";
import { createWorkspace } from "../../support/workspace.ts";

describe("an agent that knows only trackway --help", () => {
  // Each command needs a separate process, and the machine may be busy.
  it("claims, works, links and closes until no issue is ready", async () => {
    const space = await createWorkspace();
    const ada = await createAgent(space, "Ada");
    const [first, second] = [
      await space.issue({ title: "First", priority: 1 }),
      await space.issue({ title: "Second" }),
    ];
    const shell = createAgentShell(space.url, ada.token);
    const manual = await readManual(shell);
    const { pursue, did } = createManualAgent(manual, shell);
    const after = await space.last();
    const worked: string[] = [];
    for (;;) {
      const taken = await pursue({ words: "take the best issue that can be begun to work on it", have: {} });
      if (taken.code === manual.exits.get("not found")) break;
      expect(taken.code, taken.stderr).to.equal(manual.exits.get("done"));
      const [issue = ""] = manual.identifier.exec(taken.stdout) ?? [];
      worked.push(issue);
      const said = await pursue({ words: "say how the work goes", have: { issue, text: "Half of it works." } });
      expect(said.stderr).to.equal("");
      if (worked.length === 1) {
        const words = "file a new issue that I found while working on that other one";
        const filed = await pursue({ words, have: { title: "Third" }, option: { issue } });
        const [found = ""] = manual.identifier.exec(filed.stdout) ?? [];
        await pursue({
          words: "link an issue so that it waits until another one is done",
          have: { issue: found },
          option: { issue: second.identifier },
        });
      }
      const text = "Did it.";
      const closed = await pursue({
        words: "close the issue, saying what was done",
        have: { issue },
        option: { text },
      });
      expect([closed.code, closed.stderr]).to.deep.equal([0, ""]);
    }
    const third = "ENG-3";
    expect(worked).to.deep.equal([first.identifier, second.identifier, third]);
    expect(did.slice(0, 5)).to.deep.equal([
      ["ready", "--claim"],
      ["comment", "ENG-1", "Half of it works."],
      ["create", "Third", "--discovered-from", "ENG-1"],
      ["update", third, "--blocked-by", "ENG-2"],
      ["done", "ENG-1", "--message", "Did it."],
    ]);
    const { issues } = await space.gql(`{ issues(first: 5) { nodes { identifier state { name } lease { fence }
      comments { nodes { body user { name } } } relations { nodes { type relatedIssue { identifier } } } } } }`);
    const comments = { nodes: ["Did it.", "Half of it works."].map((body) => ({ body, user: { name: "Ada" } })) };
    const linked: Record<string, unknown[]> = {
      "ENG-2": [{ type: "blocks", relatedIssue: { identifier: third } }],
      [third]: [{ type: "discovered", relatedIssue: { identifier: "ENG-1" } }],
    };
    for (const issue of issues.nodes)
      expect(issue).to.deep.equal({
        ...{ identifier: issue.identifier, state: { name: "Done" }, lease: null, comments },
        relations: { nodes: linked[issue.identifier] ?? [] },
      });
    const events = (await space.log(after)).map(({ event }) => event);
    expect(events.filter((event) => event === "issue.claimed")).to.have.length(3);
  });
});
