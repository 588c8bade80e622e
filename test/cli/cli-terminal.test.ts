import { expect } from "chai";
import { loggedIn } from "../support/cli/cli.ts";
import { hasScript, inTerminal } from "../support/cli/terminal.ts";
import { anEvent } from "../support/recording/ingest.ts";
import { record } from "../support/recording/recordings.ts";
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

  it("deletes for good only when the word is typed, after it showed how many, the first and the last", async () => {
    const space = await freshWorkspace();
    const person = await loggedIn(space);
    const ids: string[] = [];
    for (const primitive_name of ["fox", "fox", "fox"]) {
      const body = anEvent({ primitive_name });
      await record(space, { path: "/api/v1/capture-event", body });
      ids.push(body.session_id);
    }
    const typed = async (word: string) => {
      let isAsked = false;
      return inTerminal(person, "session delete --agent fox --since 7d", (screen, { stdin }) => {
        if (!isAsked && screen.includes("Type delete")) {
          isAsked = true;
          stdin?.write(`${word}\r`);
        }
      });
    };
    const left = async () => (await space.gql("{ recordedSessions { nodes { id } } }")).recordedSessions.nodes.length;
    for (const word of ["", "y", "yes"]) expect((await typed(word)).code, word).to.equal(1);
    expect(await left()).to.equal(3);
    const { code, screen } = await typed("delete");
    expect([code, await left()], screen).to.deep.equal([0, 0]);
    expect(screen)
      .to.contain("3 sessions to delete.")
      .and.to.match(/first: .*\s+last: /);
    expect(ids.filter((id) => screen.includes(id))).to.have.length(2);
  });
});
