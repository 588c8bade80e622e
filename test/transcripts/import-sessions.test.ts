import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readFileSync, utimesSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { type CliUser, createSignedInUser } from "../support/cli/cli.ts";
import { findStrayFields, readDocumentedShapes } from "../support/cli/shapes-of-docs.ts";
import { hasScript, runInTerminal } from "../support/cli/terminal.ts";
import { readSession, toEventTree } from "../support/recording/observed-sessions.ts";
import { readLines, recordLive } from "../support/recording/transcripts.ts";
import { createOrganization, startSharedServer, type Tenant } from "../support/server.ts";

const CLAUDE = "claude-code-2.1.330";
const SESSION = ".claude/projects/-home-ada-project/cd1b843b-2126-46de-bd1b-b7b1086a275a";
const CODEX = ".codex/sessions/2026/11/23/rollout-2026-11-23T23-16-53-x.jsonl";

/** Writes the files of the recorded runs into a home folder, with a time one hour ago. */
function leaveFiles({ write, path }: CliUser): void {
  const files = {
    [`${SESSION}.jsonl`]: readLines(`${CLAUDE}/subagent`, "session.jsonl"),
    [`${SESSION}/subagents/agent-a2b2f27db0b4d4841.jsonl`]: readLines(`${CLAUDE}/subagent`, "subagent.jsonl"),
    [CODEX]: readLines("codex-0.169.0/plain", "session.jsonl"),
    ".gemini/tmp/project/chats/session-2026-11-23T23-17-d79c20b3.jsonl": readLines(
      "gemini-cli-0.61.0/plain",
      "session.jsonl",
    ),
    ".gemini/tmp/project/.project_root": ["/home/ada/gemini"],
  };
  const hourAgo = Date.now() / 1_000 - 3_600;
  for (const [name, lines] of Object.entries(files)) {
    write(name, `${lines.join("\n")}\n`);
    utimesSync(path(name), hourAgo, hourAgo);
  }
}

const sessionsOf = async ({ gql }: Tenant) =>
  (
    await gql(
      "{ recordedSessions(first: 50) { nodes { id source metadata totals { events turns toolCalls failures inputTokens } } } }",
    )
  ).recordedSessions.nodes;

const importKeysOf = async ({ organizationId }: Tenant) => {
  const text = `select name from "ingestKey" where "organizationId" = $1 and name like 'import on%'`;
  return (await startSharedServer()).runtime.db.query({ text, values: [organizationId] });
};

describe("trackway import sessions", () => {
  it("lists the available sessions, imports them once, and then imports only new sessions", async () => {
    const tenant = await createOrganization();
    const person = await createSignedInUser(tenant);
    leaveFiles(person);
    const shapes = readDocumentedShapes("docs/recording.md");
    const surveyed = JSON.parse((await person.run(["import", "sessions", "--dry-run", "--json"])).stdout);
    expect(findStrayFields(shapes, "Surveyed", surveyed)).to.deep.equal([]);
    const { found } = surveyed;
    expect(found.map(({ agent, project, sessions }: any) => [agent, project, sessions])).to.deep.equal([
      ["claude-code", "/home/ada/project", 1],
      ["codex", "/home/ada/project", 1],
      ["gemini-cli", "/home/ada/gemini", 1],
    ]);
    expect(found[0].from).to.match(/^2026-11-23T23:13:00/);
    expect(await sessionsOf(tenant)).to.deep.equal([]);

    const first = await person.run(["import", "sessions", "--json"]);
    expect(first.stderr).to.equal("");
    expect(JSON.parse(first.stdout)).to.include({ sessions: 3, files: 4, bad: 0 });
    const sessions = await sessionsOf(tenant);
    expect(
      sessions.map(({ source, totals }: any) => [source, totals.turns, totals.toolCalls, totals.failures]).sort(),
    ).to.deep.equal([
      ["claude-code", 2, 5, 2],
      ["codex", 1, 2, 1],
      ["gemini-cli", 1, 2, 1],
    ]);
    const metadata = Object.fromEntries(sessions.map(({ source, metadata }: any) => [source, metadata]));
    expect(metadata["claude-code"]).to.include({ cwd: "/home/ada/project", gitBranch: "main", version: "2.1.330" });
    expect(metadata["claude-code"].gitCommit).to.match(/^[0-9a-f]{7}/);
    expect(metadata["codex"].gitCommit).to.match(/^[0-9a-f]{40}$/);
    expect(metadata["gemini-cli"]).to.include({ cwd: "/home/ada/gemini" });

    expect((await person.run(["import", "sessions"])).stdout).to.equal(
      "No new events. All sessions are already imported.\n",
    );
    const again = JSON.parse((await person.run(["import", "sessions", "--again", "--json"])).stdout);
    expect(again).to.include({ sessions: 3, files: 4 });
    expect(await sessionsOf(tenant)).to.have.deep.members(sessions);
    expect(person.read(".config/trackway/login.json")).to.be.a("string");
    // The import has deleted the ingest key that it created.
    expect(await importKeysOf(tenant)).to.deep.equal([]);
  });

  it("names invalid lines with their file, imports a file up to its last complete line, and continues there", async () => {
    const tenant = await createOrganization();
    const person = await createSignedInUser(tenant);
    const lines = readLines(`${CLAUDE}/plain`, "session.jsonl");
    const image = { type: "base64", media_type: "image/png", data: "A".repeat(4_000) };
    const prompt = JSON.parse(lines.find((line) => line.includes('"type":"user"')) ?? "");
    const seen = {
      ...prompt,
      promptId: "seen",
      message: { role: "user", content: [{ type: "image", source: image }] },
    };
    const name = ".claude/projects/-home-ada-project/session.jsonl";
    const cut = lines.at(-1) ?? "";
    person.write(
      name,
      [...lines.slice(0, 3), "{ broken", ...lines.slice(3, -1), JSON.stringify(seen), cut.slice(0, 20)].join("\n"),
    );
    const ran = await person.run(["import", "sessions", person.path(".claude"), "--json"]);
    expect(ran.code).to.equal(1);
    expect(ran.stderr).to.include("session.jsonl:4: is not a JSON object");
    expect(
      findStrayFields(readDocumentedShapes("docs/recording.md"), "Imported", JSON.parse(ran.stdout)),
    ).to.deep.equal([]);
    expect(JSON.parse(ran.stdout).badLines).to.deep.equal([
      { file: person.path(name), line: 4, reason: "is not a JSON object" },
    ]);
    const before = await readSession(tenant);
    expect(before.totals).to.include({ turns: 2, toolCalls: 2, failures: 1, inputTokens: 2401 });
    expect(toEventTree(before).map(({ args }) => args)).to.include("[image/png, 3000 bytes]");
    const stopped = {
      ...prompt,
      promptId: "seen",
      message: { role: "user", content: [{ type: "text", text: "[Request interrupted by user]" }] },
    };
    appendFileSync(person.path(name), `${cut.slice(20)}\n${JSON.stringify(stopped)}\n`);
    const next = await person.run(["import", "sessions"]);
    expect([next.code, next.stdout]).to.deep.equal([0, "1 observation of 1 session imported, from 1 file.\n"]);
    const turn = (await readSession(tenant)).events.find(({ args }: any) => args.startsWith("[image"));
    expect(turn).to.include({ success: false, open: false, errorMessage: "Interrupted by the user." });
    const kept = readFileSync(person.path(name), "utf8");
    expect(kept).to.include("{ broken");
  });

  it("imports only files written since a day, and the other files on request", async () => {
    const tenant = await createOrganization();
    const person = await createSignedInUser(tenant);
    leaveFiles(person);
    const weekAgo = Date.now() / 1_000 - 7 * 86_400;
    utimesSync(person.path(CODEX), weekAgo, weekAgo);
    const day = new Date(Date.now() - 8 * 86_400_000).toISOString().slice(0, 10);
    const found = async (...since: string[]) =>
      JSON.parse((await person.run(["import", "sessions", "--dry-run", "--json", ...since])).stdout).found.length;
    expect([await found(), await found("--since", "8d"), await found("--since", day)]).to.deep.equal([3, 3, 3]);
    const imported = JSON.parse((await person.run(["import", "sessions", "--since", "6d", "--json"])).stdout);
    expect(imported).to.include({ sessions: 2, files: 3 });
    expect((await sessionsOf(tenant)).map(({ source }: any) => source)).to.have.members(["claude-code", "gemini-cli"]);
    const rest = JSON.parse((await person.run(["import", "sessions", "--json"])).stdout);
    expect(rest).to.include({ sessions: 1, files: 1 });
    expect(await sessionsOf(tenant)).to.have.length(3);
    for (const since of ["lately", "6", "-1d", ""]) {
      const { code, stderr } = await person.run(["import", "sessions", "--since", since]);
      expect([code, stderr], since).to.satisfy(
        ([exit, said]: any) => exit === 2 && said.includes("Use a day (2026-01-31)"),
      );
    }
  });

  it("shows a progress bar in a terminal with invalid lines above, and cleans up on Ctrl-C", async function () {
    if (!hasScript) this.skip();
    const tenant = await createOrganization();
    const person = await createSignedInUser(tenant);
    leaveFiles(person);
    appendFileSync(person.path(CODEX), "{ broken\n");
    let isPressed = false;
    const { screen } = await runInTerminal(person, "import sessions --watch", (shown, { stdin }) => {
      if (isPressed || !/━+.*\d+ observations/.test(shown) || !shown.includes("is not a JSON object")) return;
      isPressed = true;
      stdin?.write("\x03");
    });
    expect(screen)
      .to.contain(`${person.path(CODEX)}:`)
      .and.match(/observations? of \d sessions? imported, from \d files?\./);
    expect(await importKeysOf(tenant)).to.deep.equal([]);
  });

  it("adds nothing to a session that was recorded live", async () => {
    const tenant = await createOrganization();
    const person = await createSignedInUser(tenant);
    leaveFiles(person);
    await recordLive(tenant, "claude-code", `${CLAUDE}/subagent`);
    const before = await readSession(tenant);
    await person.run(["import", "sessions", "--agent", "claude-code"], {
      env: { TRACKWAY_INGEST_KEY: tenant.ingestKey },
    });
    const after = await readSession(tenant);
    expect([toEventTree(after), after.totals]).to.deep.equal([toEventTree(before), before.totals]);
  });

  it("imports the output of opencode export", async () => {
    const tenant = await createOrganization();
    const person = await createSignedInUser(tenant);
    person.write("session.json", readLines("opencode-1.18.33/plain", "export.json").join("\n"));
    const ran = await person.run(["import", "sessions", "session.json"]);
    expect([ran.stderr, ran.code]).to.deep.equal(["", 0]);
    const session = await readSession(tenant);
    expect(session).to.deep.include({
      source: "opencode",
      metadata: { cwd: "/home/ada/project", title: "A title", version: "1.18.33" },
    });
    expect(session.totals).to.include({ turns: 1, toolCalls: 2, failures: 1, inputTokens: 1600, cacheReadTokens: 800 });
    const [turn] = session.events.filter(({ kind }: any) => kind === "turn");
    const result = "Done: one command printed hello, the other failed.";
    expect(turn).to.include({ args: "Run echo hello and read a missing file.", result, open: false });
  });

  it("adds the subagents of opencode to their parent session", async () => {
    const tenant = await createOrganization();
    const person = await createSignedInUser(tenant);
    const [run, folder] = [
      "opencode-1.18.33/subagent",
      ".config/trackway/imports/opencode/ses_deba30329ffevrDCFsnog0FWJ0",
    ];
    person.write(`${folder}/ses_deba30329ffevrDCFsnog0FWJ0.json`, readLines(run, "export.json").join("\n"));
    person.write(`${folder}/ses_deba2e918ffe1SK8zYTgRLYByh.json`, readLines(run, "subagent-export.json").join("\n"));
    // Without the program opencode, earlier exports are still available.
    const ran = await person.run(["import", "sessions", "--agent", "opencode", "--json"], { env: { PATH: "" } });
    expect(ran.stderr).to.equal("");
    expect(JSON.parse(ran.stdout)).to.include({ sessions: 1, files: 2, bad: 0 });
    const { events, totals } = await readSession(tenant);
    expect(totals).to.include({ turns: 1, toolCalls: 5, failures: 1, inputTokens: 4800 });
    const [subagent] = events.filter(({ kind }: any) => kind === "subagent");
    expect(subagent).to.include({ primitiveName: "general", result: "The errand is done.", open: false });
    const inner = events.filter(({ parentId }: any) => parentId === subagent.id);
    expect(inner.map(({ kind }: any) => kind).sort()).to.deep.equal(["llm", "llm", "tool"]);
    const task = events.find(({ primitiveName }: any) => primitiveName === "task");
    expect(subagent.parentId).to.equal(task.id);
  });

  it("follows a growing file until interrupted", async () => {
    const tenant = await createOrganization();
    const person = await createSignedInUser(tenant);
    const [name, lines] = [".pi/agent/sessions/--home-ada--/one.jsonl", readLines("pi-0.73.1/plain", "session.jsonl")];
    person.write(name, `${lines.slice(0, 4).join("\n")}\n`);
    const args = [resolve("cli/bin.js"), "import", "sessions", "--watch"];
    const child = spawn(process.execPath, args, { env: { HOME: person.home, PATH: process.env["PATH"] } });
    try {
      while ((await sessionsOf(tenant)).length === 0) await sleep(200);
      expect((await readSession(tenant)).totals).to.include({ turns: 1, toolCalls: 0 });
      appendFileSync(person.path(name), `${lines.slice(4).join("\n")}\n`);
      while ((await readSession(tenant)).totals.inputTokens < 2_400) await sleep(200);
      child.kill("SIGINT");
      const [said, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
      expect([said, code]).to.deep.equal(["9 observations of 1 session imported, from 1 file.\n", 0]);
    } finally {
      child.kill("SIGKILL");
    }
  });
});
