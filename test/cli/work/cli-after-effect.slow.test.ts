import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import type { App } from "../../../server/app.ts";
import { createOrganization, startServer, type Tenant } from "../../support/server.ts";

const HOOK = resolve("test/support/cli/failing-files.cjs");
const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`;
/** More operations than any command needs. */
const MOST = 60;

/** Command that changes something, and the required preparation. */
interface Changing {
  name: string;
  /** Commands that run before, without injected failures; `ISSUE` stands for a new issue. */
  before?: string[][];
  args: string[];
  input?: string;
}

const COMMANDS: Changing[] = [
  { name: "ready --claim", args: ["ready", "--claim", "--json"] },
  { name: "claim", args: ["claim", "ISSUE"] },
  { name: "claim --renew", before: [["claim", "ISSUE"]], args: ["claim", "ISSUE", "--renew"] },
  { name: "done of several", before: [["claim", "ISSUE"]], args: ["done", "ISSUE", "OTHER"] },
  { name: "release", before: [["claim", "ISSUE"]], args: ["release", "ISSUE"] },
  { name: "start", args: ["start", "ISSUE"] },
  { name: "update", before: [["claim", "ISSUE"]], args: ["update", "ISSUE", "--priority", "high"] },
  { name: "comment", args: ["comment", "ISSUE", "-"], input: "It goes well." },
  { name: "create", args: ["create", "Found on the way", "--team", "ENG"] },
  { name: "delete", args: ["delete", "ISSUE", "--yes"] },
  { name: "label create", args: ["label", "create", "LABEL"] },
];

describe("a command that changes data on the server", function () {
  this.timeout(600_000);
  let app: App;
  let tenant: Tenant;
  let titles = 0;

  before(async () => {
    app = await startServer();
    tenant = await createOrganization(app);
    await tenant.gql("mutation($input: TeamCreateInput!) { teamCreate(input: $input) { success } }", {
      input: { name: "Engineering", key: "ENG" },
    });
  });

  const changes = async (): Promise<number> => {
    const [row] = await app.runtime.db.query<{ count: number }>({ text: "select count(*)::int as count from change" });
    return row?.count ?? 0;
  };

  const issue = async (): Promise<string> => {
    titles += 1;
    const title = `An issue ${titles}`;
    const { teams } = await tenant.gql("{ teams { nodes { id } } }");
    const input = { teamId: teams.nodes[0].id, title };
    const { issueCreate } = await tenant.gql(
      "mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { identifier } } }",
      { input },
    );
    return issueCreate.issue.identifier;
  };

  async function run(args: string[], home: string, env: Record<string, string>, shell = 'exec "$@"', input = "") {
    const child = spawn(
      "sh",
      ["-c", shell, "sh", process.execPath, "--require", HOOK, resolve("cli/bin.js"), ...args],
      {
        cwd: join(home, "work"),
        env: { PATH, HOME: home, TRACKWAY_URL: app.url, TRACKWAY_API_KEY: tenant.apiKey, ...env },
      },
    );
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return { code: code as number | null, stdout, stderr };
  }

  function homeFolder(): string {
    const home = mkdtempSync(join(tmpdir(), "trackway-effect-"));
    mkdirSync(join(home, "work"));
    writeFileSync(join(home, "work", ".trackway.json"), JSON.stringify({ team: "ENG" }));
    return home;
  }

  for (const { name, before = [], args, input } of COMMANDS) {
    it(`exits with 0, or changed nothing, for a failure of any file operation: ${name}`, async () => {
      let reached = true;
      for (let at = 1; reached; at += 1) {
        expect(at).to.be.below(MOST);
        const home = homeFolder();
        const names = new Map([
          ["ISSUE", await issue()],
          ["OTHER", await issue()],
          ["LABEL", `label-${titles}`],
        ]);
        const named = (words: string[]) => words.map((word) => names.get(word) ?? word);
        for (const words of before) expect((await run(named(words), home, {})).code).to.equal(0);
        const count = await changes();
        const note = join(tmpdir(), `trackway-failed-${process.pid}-${titles}`);
        const env = { FAIL_AT: String(at), FAIL_BELOW: home, FAIL_NOTE: note };
        const { code, stderr } = await run(named(args), home, env, undefined, input);
        reached = existsSync(note);
        const failed = reached ? readFileSync(note, "utf8") : "none";
        expect(stderr, failed).not.to.match(/^\s+at /m);
        if (code !== 0) expect([failed, await changes()], stderr).to.deep.equal([failed, count]);
      }
    });
  }

  it("prints the claim and its fence, and warns, with a read-only home folder", async () => {
    const id = await issue();
    const { code, stdout, stderr } = await run(["claim", id, "--json"], homeFolder(), {
      XDG_CONFIG_HOME: "/dev/null/x",
    });
    expect([code, JSON.parse(stdout).issue.id]).to.deep.equal([0, id]);
    const [, fence] = /"fence":(\d+)/.exec(stdout) ?? [];
    expect(stderr)
      .to.match(/^warning: \/dev\/null\/x.* cannot be written/)
      .and.include(`--fence ${fence}`);
  });

  it("writes its result to standard error and exits with 1 when standard output is full", async () => {
    const id = await issue();
    const { code, stderr } = await run(["claim", id, "--json"], homeFolder(), {}, 'exec "$@" > /dev/full');
    expect(code).to.equal(1);
    const [result = "", line] = stderr.trim().split("\n");
    expect(JSON.parse(result).issue.id).to.equal(id);
    expect(line).to.match(/standard output cannot be written \(ENOSPC\)/);
  });

  it("creates no key when the login could not be stored", async () => {
    const text = 'select count(*)::int as count from "apiKey"';
    const counted = async () => (await app.runtime.db.query<{ count: number }>({ text }))[0]?.count;
    const count = await counted();
    const login = ["login", app.url, "--email", tenant.email, "--password-stdin"];
    const { code, stderr } = await run(
      login,
      homeFolder(),
      { XDG_CONFIG_HOME: "/dev/null/x" },
      undefined,
      tenant.password,
    );
    expect([code, await counted()]).to.deep.equal([1, count]);
    expect(stderr.trim().split("\n")).to.have.length(1);
  });
});
