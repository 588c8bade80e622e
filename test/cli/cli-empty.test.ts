import { expect } from "chai";
import type { Command } from "commander";
import { createCommandLineParser } from "../../cli/program.ts";
import { createAgentShell } from "../support/cli/cli.ts";
import { createWorkspace } from "../support/workspace.ts";

/** Nothing listens at this URL, so a command that sends a request fails with a different exit code. */
const NOWHERE = "http://127.0.0.1:9";
/** Options that also accept an empty text. */
const TEXTS = ["--description"];

/** Builds command lines, each with one option that has an empty value. */
function emptyLines(command: Command, above: string[] = []): string[][] {
  const path = [...above, command.name()];
  const below = command.commands.flatMap((each) => emptyLines(each, path));
  const args = command.registeredArguments.filter(({ required }) => required).map(() => "ENG-1");
  const valued = command.options.filter(({ required, long }) => required && long && !TEXTS.includes(long));
  return [...below, ...valued.flatMap(({ long }) => ["", "  "].map((empty) => [...path, ...args, `${long}=${empty}`]))];
}

describe("an empty value of an option of the command line", () => {
  it("is a usage error in every command, before any request", async () => {
    const shell = createAgentShell(NOWHERE, "trk_api_none");
    const program = await createCommandLineParser();
    const lines = program.commands.flatMap((command) => emptyLines(command));
    expect(lines.length).to.be.above(150);
    const wrong: string[] = [];
    for (const line of lines) {
      const { code, stderr } = await shell.run(line);
      if (code !== 2 || stderr.includes(NOWHERE)) wrong.push(`${code} ${line.join(" ")}: ${stderr}`);
    }
    expect(wrong).to.deep.equal([]);
  });

  it("claims nothing, and an empty environment variable counts as unset", async () => {
    const space = await createWorkspace();
    const { identifier } = await space.issue();
    const shell = createAgentShell(space.url, space.apiKey);
    for (const option of ["--team=", "--team= ", "--label="]) {
      const { code, stderr } = await shell.run(["ready", "--claim", option]);
      expect([option, code]).to.deep.equal([option, 2]);
      expect(stderr).to.contain('cannot be ""');
    }
    const held = async () => (await space.gql(`{ issue(id: "${identifier}") { lease { fence } } }`)).issue.lease;
    expect(await held()).to.equal(null);
    const { code } = await shell.run(["ready", "--claim"], { env: { TRACKWAY_TEAM: "" } });
    expect([code, (await held())?.fence]).to.deep.equal([0, 1]);
  });
});
