import { expect } from "chai";
import { createSignedInUser } from "../support/cli/cli.ts";
import { hasScript, runInTerminal } from "../support/cli/terminal.ts";
import { createEvent } from "../support/recording/ingest.ts";
import { sendRecording } from "../support/recording/recordings.ts";
import { createWorkspace } from "../support/workspace.ts";

describe("trackway in a terminal", () => {
  before(function () {
    if (!hasScript) this.skip();
  });

  it("asks for the password before it overrides a missing proof, never shows the password, and accepts no other", async () => {
    const space = await createWorkspace();
    const person = await createSignedInUser(space);
    await space.does("teamUpdate", { id: space.teamId, input: { proof: { commands: ["npm test"], required: true } } });
    const { id, identifier } = await space.issue();
    const overridden = async (password: string) => {
      let isAsked = false;
      return runInTerminal(person, `done ${identifier} --override`, (screen, { stdin }) => {
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

  it("deletes permanently only after the word is typed, and shows the number, the first and the last before", async () => {
    const space = await createWorkspace();
    const person = await createSignedInUser(space);
    const ids: string[] = [];
    for (const primitive_name of ["fox", "fox", "fox"]) {
      const body = createEvent({ primitive_name });
      await sendRecording(space, { path: "/api/v1/capture-event", body });
      ids.push(body.session_id);
    }
    const typed = async (word: string) => {
      let isAsked = false;
      return runInTerminal(person, "session delete --agent fox --since 7d", (screen, { stdin }) => {
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
