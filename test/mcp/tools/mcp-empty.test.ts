import { expect } from "chai";
import { connectSharedClient } from "../../support/mcp.ts";
import { createWorkspace } from "../../support/workspace.ts";

/** Values that a client may send for the team and the labels of a claim. None of the values may select all teams. */
const EMPTY = [{ team: "" }, { team: "  " }, { team: "", labels: null }, { labels: [""] }, { labels: [" "] }];
const NO_TEXT = [{ team: {} }, { team: [] }, { team: false }, { team: 0 }, { labels: [null] }, { labels: {} }];

describe("the MCP tool that claims the next issue", () => {
  it("refuses an empty or invalid team and labels, and claims nothing", async () => {
    const space = await createWorkspace();
    const { identifier } = await space.issue();
    const { call } = await connectSharedClient(space);
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
