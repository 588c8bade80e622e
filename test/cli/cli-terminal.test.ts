import { expect } from "chai";
import { loggedIn } from "../support/cli/cli.ts";
import { hasScript, inTerminal } from "../support/cli/terminal.ts";
import { freshWorkspace } from "../support/workspace.ts";

describe("trackway in a terminal", function () {
  this.timeout(60_000);
  before(function () {
    if (!hasScript) this.skip();
  });

  it("asks for the password before it overrides a missing proof, shows none of it, and takes no other", async () => {
    const space = await freshWorkspace();
    const person = await loggedIn(space);
    await space.does("teamUpdate", { id: space.teamId, input: { proof: { commands: ["npm test"], required: true } } });
    const { id, identifier } = await space.issue();
    const overridden = async (password: string) => {
      let isAsked = false;
      return inTerminal(person, `done ${identifier} --override`, (screen, { stdin }) => {
        if (!isAsked && screen.includes("Password of")) {
          isAsked = true;
          stdin?.write(`${password}\r`);
        }
      });
    };
    const refused = await overridden("not the password");
    expect(refused.code, refused.screen).to.equal(5);
    expect(refused.screen).to.contain(`Password of ${space.email}?`).and.not.contain("not the password");
    const state = async () =>
      (await space.gql(`{ issue(id: "${id}") { state { type } proof { verdict overriddenBy { id } } } }`)).issue;
    expect((await state()).state.type).to.not.equal("completed");
    const done = await overridden(space.password);
    expect(done.code, done.screen).to.equal(0);
    expect(done.screen).to.contain(`Done: ${identifier}`).and.not.contain(space.password);
    expect(await state()).to.deep.include({ state: { type: "completed" } });
    expect((await state()).proof.overriddenBy).to.be.an("object");
  });
});
