import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { dirname, resolve } from "node:path";
import { expect } from "chai";
import { loggedIn } from "../support/cli.ts";
import { freshWorkspace } from "../support/workspace.ts";

/** `script` of util-linux gives a command a terminal of its own. */
const hasScript = /util-linux/.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "");

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
      const env = { HOME: person.home, PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, TERM: "xterm" };
      // A terminal of none has no width: each letter would be a line.
      const command = `stty cols 120 rows 40; ${resolve("trackway")} done ${identifier} --override`;
      const child = spawn("script", ["-qec", command, "/dev/null"], { env, cwd: person.home });
      let screen = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        if (!screen.includes("Password of") && (screen + text).includes("Password of"))
          child.stdin.write(`${password}\r`);
        screen += text;
      });
      const [code] = await once(child, "close");
      return { code, screen };
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
