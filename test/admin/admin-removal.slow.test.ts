import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import type { App } from "../../server/app.ts";
import { hasScript } from "../support/cli/terminal.ts";
import { inviteGuest } from "../support/members.ts";
import { startOwnServer } from "../support/own-server.ts";
import { createEvent } from "../support/recording/ingest.ts";
import { sendRecording } from "../support/recording/recordings.ts";
import { createOrganization } from "../support/server.ts";
import { createWorkspaceIn, type Workspace } from "../support/workspace.ts";

const SECRET = `ghp_${"a1B2c3D4e5".repeat(3)}f6G7h8`;

describe("a destructive admin command", () => {
  let app: App;
  let end: () => Promise<void>;
  before(async () => {
    ({ app, end } = await startOwnServer());
  });
  after(() => end());

  const envOf = () => {
    const { DATA_DIR, DATABASE_URL = "", JWT_SECRET = "" } = app.runtime.config;
    return { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, DATA_DIR, DATABASE_URL, JWT_SECRET, TERM: "xterm" };
  };
  const program = [process.execPath, resolve("dist/server/admin/admin.js")] as const;

  /** Runs the command as in a script, without a terminal. */
  async function inScript(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const [node, file] = program;
    const child = spawn(node, [file, ...args], { env: envOf(), stdio: ["ignore", "pipe", "pipe"] });
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return { code, stdout, stderr };
  }

  /** Runs the command in a terminal, in which a user types a word when asked. */
  async function atTerminal(word: string, ...args: string[]): Promise<{ code: number; screen: string }> {
    const command = `stty cols 200 rows 40; ${program.join(" ")} ${args.join(" ")}`;
    const child = spawn("script", ["-qec", command, "/dev/null"], { env: envOf() });
    let screen = "";
    let isAsked = false;
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      screen += piece;
      if (isAsked || !/Type \w+ to/.test(screen)) return;
      isAsked = true;
      child.stdin.write(`${word}\n`);
    });
    const [code] = await once(child, "close");
    return { code, screen };
  }

  /** Creates an organization with three issues and two sessions. */
  async function filled(): Promise<{ space: Workspace; issues: string[]; sessions: string[] }> {
    const space = await createWorkspaceIn(await createOrganization(app));
    const issues = [];
    for (const title of ["The first", "The second", "The third"]) {
      const { identifier } = await space.issue({ title });
      issues.push(`${identifier} ${title}`);
    }
    const sessions = [];
    for (const day of ["2026-02-01", "2026-03-01"]) {
      const event = createEvent({ timestamp: Date.parse(day) });
      await sendRecording(space, { path: "/api/v1/capture-event", body: event });
      sessions.push(event.session_id);
    }
    return { space, issues, sessions };
  }
  const exists = async (urlKey: string) => (await inScript("list", "organizations")).stdout.includes(urlKey);

  it("shows the first and last entries of an organization, and deletes it only with its name repeated", async () => {
    const { space, issues, sessions } = await filled();
    const { urlKey } = space;
    const shown = [
      "1 organization to delete.",
      `first: ${urlKey} (`,
      `3 issues to delete.\nfirst: ${issues[0]}\nlast: ${issues[2]}\n`,
      `2 sessions to delete.\nfirst: ${sessions[0]} of 2026-02-01`,
      `last: ${sessions[1]} of 2026-03-01`,
      "\nissue: 3\n",
    ];
    const unconfirmed = await inScript("delete-organization", urlKey);
    for (const line of shown) expect(unconfirmed.stdout).to.contain(line);
    expect(unconfirmed.code).to.equal(1);
    expect(unconfirmed.stderr).to.contain(`npm run admin -- delete-organization ${urlKey} ${urlKey}\n`);
    expect(await exists(urlKey)).to.equal(true);
    const another = await inScript("delete-organization", urlKey, urlKey, "00000000-0000-4000-8000-000000000000");
    expect([another.code, another.stderr.includes("now belongs to another organization")]).to.deep.equal([1, true]);
    expect(await exists(urlKey)).to.equal(true);
    const { code, stdout } = await inScript("delete-organization", urlKey, urlKey);
    expect(code).to.equal(0);
    for (const line of shown) expect(stdout).to.contain(line);
    expect(stdout).to.match(new RegExp(`${urlKey} is deleted\n$`));
    expect(await exists(urlKey)).to.equal(false);
  });

  it("deletes an organization in a terminal after the word is typed, and after no other word", async function () {
    if (!hasScript) this.skip();
    const { space, issues } = await filled();
    for (const word of ["", "y", space.urlKey]) {
      const { code, screen } = await atTerminal(word, "delete-organization", space.urlKey);
      expect([code, screen.includes(`last: ${issues[2]}`)], screen).to.deep.equal([1, true]);
      expect(screen).to.contain("nothing was changed");
    }
    expect(await exists(space.urlKey)).to.equal(true);
    const { code, screen } = await atTerminal("delete", "delete-organization", space.urlKey);
    expect(code, screen).to.equal(0);
    expect(await exists(space.urlKey)).to.equal(false);
  });

  it("shows the memberships and credentials of an account before it deletes the account", async () => {
    const space = await createWorkspaceIn(await createOrganization(app));
    const { email, rest } = await inviteGuest(space);
    await rest("POST", "/api/api-keys", { label: "hers" });
    const shown = [`1 account to delete.\nfirst: ${email} (`, "1 membership to delete.", `first: ${space.urlKey}\n`];
    const unconfirmed = await inScript("delete-account", email);
    for (const line of [...shown, "1 personal key to delete."]) expect(unconfirmed.stdout).to.contain(line);
    expect([unconfirmed.code, unconfirmed.stderr.includes(`delete-account ${email} ${email}\n`)]).to.deep.equal([
      1,
      true,
    ]);
    expect((await rest("GET", "/api/members")).status).to.equal(200);
    const { code, stdout } = await inScript("delete-account", email, email);
    for (const line of shown) expect(stdout).to.contain(line);
    expect([code, stdout.includes(`${email} is deleted`)]).to.deep.equal([0, true]);
    if (hasScript) {
      const { email: other } = await inviteGuest(space);
      expect((await atTerminal("no", "delete-account", other)).code).to.equal(1);
      expect((await atTerminal("delete", "delete-account", other)).code).to.equal(0);
    }
  });

  it("shows the number, the first and the last secrets before it redacts them", async () => {
    const { space, sessions } = await filled();
    const { organizationId } = space;
    const plant = () =>
      app.runtime.db.query({
        text: "update recorded_event set args = $2 where organization_id = $1",
        values: [organizationId, `use ${SECRET}`],
      });
    const left = async () => {
      const text = "select args from recorded_event where organization_id = $1 and strpos(args, $2) > 0";
      return (await app.runtime.db.query({ text, values: [organizationId, SECRET] })).length;
    };
    await plant();
    const args = ["redact", "--since", "2020-01-01", "--organization", organizationId];
    const shown = /2 secrets to redact\.\nfirst: recorded_event\.args of \S+\nlast: recorded_event\.args of \S+\n/;
    const told = await inScript(...args);
    expect(told.stdout).to.match(shown);
    expect([told.code, await left()]).to.deep.equal([0, sessions.length]);
    if (hasScript) {
      const { code, screen } = await atTerminal("delete", ...args, "--apply");
      expect([code, screen.replaceAll("\r", "").match(shown) !== null, await left()], screen).to.deep.equal([
        1,
        true,
        2,
      ]);
      expect((await atTerminal("redact", ...args, "--apply")).code).to.equal(0);
      expect(await left()).to.equal(0);
      await plant();
    }
    const { code, stdout } = await inScript(...args, "--apply");
    expect([code, await left()], stdout).to.deep.equal([0, 0]);
    expect(stdout.search(shown)).to.equal(0);
    expect(stdout).to.contain("The secrets were redacted");
  });

  it("shows the tables whose files it rewrites", async () => {
    const shown = /^\d+ tables to rewrite\.\nfirst: account\nlast: workflowState\n/;
    if (hasScript) {
      const { code, screen } = await atTerminal("no", "purge-files");
      expect([code, screen.includes("first: account")], screen).to.deep.equal([1, true]);
      expect(screen).to.not.contain("were written anew");
    }
    const { code, stdout } = await inScript("purge-files");
    expect(stdout).to.match(shown).and.to.contain("tables were written anew");
    expect(code).to.equal(0);
  });

  it("refuses an undocumented time format with exit code 2 before any question", async () => {
    const [node, file] = program;
    const env = {
      PATH: envOf().PATH,
      DATA_DIR: "/nowhere",
      DATABASE_URL: "postgres://127.0.0.1:1/none",
      JWT_SECRET: "s".repeat(64),
    };
    for (const args of [
      ["redact", "--since", "45"],
      ["redact", "--since", "2026-02-30", "--apply"],
      ["refold", "--source", "claude-code", "--since", "week 3"],
      ["purge-files", "now"],
    ]) {
      const child = spawn(node, [file, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
      const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
      expect([code, stderr], args.join(" ")).to.satisfy(
        ([exit, words]: [number, string]) =>
          exit === 2 && words.includes(args.at(-1) === "--apply" ? "2026-02-30" : String(args.at(-1))),
      );
    }
  });
});
