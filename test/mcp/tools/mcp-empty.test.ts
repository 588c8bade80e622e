import { expect } from "chai";
import { mcpFor } from "../../support/mcp.ts";
import { freshWorkspace } from "../../support/workspace.ts";

/** A client may send these for the team and the labels of a claim; none can mean every team. */
const EMPTY = [{ team: "" }, { team: "  " }, { team: "", labels: null }, { labels: [""] }, { labels: [" "] }];
const NO_TEXT = [{ team: {} }, { team: [] }, { team: false }, { team: 0 }, { labels: [null] }, { labels: {} }];

describe("MCP's claim of the next issue", () => {
  it("refuses a team and labels that are empty or no text, and claims nothing", async () => {
    const space = await freshWorkspace();
    const { identifier } = await space.issue();
    const { call } = await mcpFor(space);
    for (const claim of [true, false])
      for (const args of [...EMPTY, ...NO_TEXT]) {
        const { text, isError } = await call("next_issue", { ...args, claim });
        expect([args, isError], text).to.deep.equal([args, true]);
        expect(text).to.match(/team|labels|label/);
      }
    const { issue } = await space.gql(`{ issue(id: "${identifier}") { lease { fence } } }`);
    expect(issue.lease).to.equal(null);
  });
});
