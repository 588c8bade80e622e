import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect } from "chai";
import { type CliUser, createSignedInUser } from "../support/cli/cli.ts";
import { createOrganization, type Tenant } from "../support/server.ts";

const REPORTED = "test/fixtures/reported";
const CLAUDE = ".claude/projects/-srv-parcels/c4000000-0000-7000-8000-000000000500.jsonl";
const DAY = ".codex/sessions/2026/11/20/rollout-2026-11-20T09-00-00";

const totalsOf = async ({ gql }: Tenant): Promise<number[]> =>
  (await gql("{ recordedSessions(first: 50) { nodes { totals { inputTokens } } } }")).recordedSessions.nodes.map(
    ({ totals }: any) => totals.inputTokens,
  );

function copy({ path }: CliUser, file: string, name: string): void {
  mkdirSync(dirname(path(name)), { recursive: true });
  copyFileSync(`${REPORTED}/${file}`, path(name));
}

async function importAll(person: CliUser, ...args: string[]) {
  const { code, stdout } = await person.run(["import", "sessions", "--json", ...args]);
  return { code, ...JSON.parse(stdout) };
}

describe("trackway import sessions finds every file", () => {
  it("behind a link to a folder, once, though another link leads back", async () => {
    const tenant = await createOrganization();
    const person = await createSignedInUser(tenant);
    copy(person, "claude-plain.jsonl", CLAUDE.replace(".claude/projects", "shared"));
    mkdirSync(person.path(".claude/projects"), { recursive: true });
    for (const name of ["-srv-parcels", "-srv-other"])
      symlinkSync(person.path("shared/-srv-parcels"), person.path(`.claude/projects/${name}`));
    symlinkSync(person.path(".claude"), person.path("shared/-srv-parcels/loop"));
    expect(await importAll(person)).to.include({ code: 0, sessions: 1, files: 1 });
    expect(await totalsOf(tenant)).to.deep.equal([100]);
  });

  it("and sends nothing of a file that is no session, to which a link leads", async () => {
    const tenant = await createOrganization();
    const person = await createSignedInUser(tenant);
    person.write("secret.txt", "the password is 1234\n");
    mkdirSync(person.path(".claude/projects/-srv-parcels"), { recursive: true });
    symlinkSync(person.path("secret.txt"), person.path(CLAUDE));
    const { code, skippedFiles } = await importAll(person);
    expect({ code, skippedFiles }).to.deep.equal({
      code: 1,
      skippedFiles: [{ file: person.path(CLAUDE), reason: "has a format that is not known" }],
    });
    expect(await importAll(person, "--skip-unknown")).to.include({ code: 0, files: 0 });
    expect(await totalsOf(tenant)).to.deep.equal([]);
  });

  it("that Codex packed, once, and names a packed file that is cut", async () => {
    const tenant = await createOrganization();
    const person = await createSignedInUser(tenant);
    copy(person, "codex-cold.jsonl.zst", `${DAY}-c4000000-0000-7000-8000-000000000700.jsonl.zst`);
    expect(await importAll(person)).to.include({ code: 0, sessions: 1, bad: 0 });
    expect(await totalsOf(tenant)).to.deep.equal([1_000]);
    expect(await importAll(person)).to.include({ code: 0, files: 0 });
    const cut = readFileSync(`${REPORTED}/codex-cold.jsonl.zst`).subarray(0, 200);
    writeFileSync(person.path(`${DAY}-cut.jsonl.zst`), cut);
    expect((await importAll(person)).code).to.equal(1);
  });

  it("of Codex in early 2025, and names a session in a format before that", async () => {
    const tenant = await createOrganization();
    const person = await createSignedInUser(tenant);
    copy(person, "codex-legacy-2025.jsonl", `${DAY}-c4000000-0000-7000-8000-000000000900.jsonl`);
    person.write(`${DAY}-old.json`, '{"session":{},"items":[]}');
    const { code, sessions, skippedFiles } = await importAll(person);
    expect({ code, sessions, skipped: skippedFiles.map(({ file }: any) => file) }).to.deep.equal({
      code: 1,
      sessions: 1,
      skipped: [person.path(`${DAY}-old.json`)],
    });
  });

  it("of Gemini CLI outside its chats, in a folder beside files of another agent", async () => {
    const tenant = await createOrganization();
    const person = await createSignedInUser(tenant);
    copy(person, "gemini/chats/session-2026-11-20T09-00-thoughts.jsonl", "backup/gemini.jsonl");
    copy(person, "claude-plain.jsonl", "backup/claude.jsonl");
    expect(await importAll(person, person.path("backup"))).to.include({ code: 0, sessions: 2, bad: 0 });
  });

  it("in a home that cannot be written, with a summary and a warning", async function () {
    if (process.getuid?.() !== 0) this.skip();
    const tenant = await createOrganization();
    const person = await createSignedInUser(tenant);
    copy(person, "claude-plain.jsonl", CLAUDE);
    person.write(".config/trackway/imports", "a file where a folder belongs");
    const { code, stdout, stderr } = await person.run(["import", "sessions", "--json"]);
    expect({ code, sessions: JSON.parse(stdout).sessions }).to.deep.equal({ code: 0, sessions: 1 });
    expect(stderr).to.include("without duplicates");
  });
});
