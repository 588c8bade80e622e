import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { createAgentShell } from "../support/cli/cli.ts";
import { startSharedServer } from "../support/server.ts";
import { createWorkspace } from "../support/workspace.ts";

/** Records 501 changes of `index.ts` in different folders, and 5,001 changes of `often.ts` in one folder. */
const FILL = `insert into recorded_action (organization_id, session_id, event_id, position, kind, timestamp, path, place, added, removed, data)
  select $1::uuid, gen_random_uuid(), gen_random_uuid(), 0, 'file', now(), path, place, 1, 0, '{"change": "edit", "lines": ["export const answer = 42;"]}'
  from (select '/w' || n || '/index.ts' as path, 'index.ts/w' || n || '/' as place from generate_series(1, 501) n
    union all select '/w/often.ts', 'often.ts/w/' from generate_series(1, 5001)) f`;

/** Creates a repository whose files have the given number of lines. Only the first line of each file has code. */
function repository(files: Record<string, number>): string {
  const folder = mkdtempSync(join(tmpdir(), "trackway-blame-"));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=a@example.com", ...args], { cwd: folder });
  for (const [name, lines] of Object.entries(files))
    writeFileSync(join(folder, name), `export const answer = 42;\n${"}\n".repeat(lines - 1)}`);
  git("init", "-q");
  git("add", ".");
  git("commit", "-q", "-m", "Begin");
  return folder;
}

describe("trackway blame with too many changes to read", () => {
  it("reports for each line why it is unknown, and continues", async () => {
    const space = await createWorkspace();
    await (await startSharedServer()).runtime.db.query({ text: FILL, values: [space.organizationId] });
    const folder = repository({ "index.ts": 2, "often.ts": 2, "rare.ts": 2 });
    const shell = createAgentShell(space.url, space.apiKey);
    const unknown = async (name: string) => {
      const { lines } = await shell.tells("blame", join(folder, name));
      expect(lines).to.have.length(2);
      for (const line of lines) expect(line).to.include({ message: "Begin", by: null, written: null });
      return lines.map((line: any) => line.unknown);
    };
    for (const why of await unknown("index.ts")) expect(why).to.match(/^index\.ts: Files in more than 500 folders/);
    for (const why of await unknown("often.ts")) expect(why).to.match(/changed more than 5,000 times/);
    expect(await unknown("rare.ts")).to.deep.equal([null, null]);
    expect(await shell.says("blame", join(folder, "index.ts"))).to.contain(
      "  unknown: index.ts: Files in more than 500",
    );
  });

  it("pages through a file of more than 500 lines", async () => {
    const space = await createWorkspace();
    const shell = createAgentShell(space.url, space.apiKey);
    const file = join(repository({ "long.ts": 1_001, "short.ts": 500 }), "long.ts");
    const pages = [];
    for (let place: string | null = file; place; ) {
      const { lines, next }: { lines: any[]; next: string | null } = await shell.tells("blame", place);
      pages.push([lines[0].line, lines.length]);
      place = next;
    }
    expect(pages).to.deep.equal([
      [1, 500],
      [501, 500],
      [1_001, 1],
    ]);
    expect(await shell.says("blame", file)).to.contain(`More: trackway blame ${file}:501-`);
    const short = await shell.tells("blame", file.replace("long", "short"));
    expect([short.lines.length, short.next]).to.deep.equal([500, null]);
    expect((await shell.tells("blame", `${file}:7`)).lines.map((each: any) => each.line)).to.deep.equal([7]);
    expect((await shell.tells("blame", `${file}:7-9`)).next).to.equal(null);
  });
});
