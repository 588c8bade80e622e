import { execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { parse, validate } from "graphql";
import * as documents from "../../cli/api/documents.ts";
import { NAME_LOOKUP_DOCUMENTS } from "../../cli/api/named.ts";
import * as planning from "../../cli/api/planned.ts";
import { escapeUnsafe, toOneLine, toSafeJson } from "../../cli/output/print.ts";
import { getIntrospectionSchema } from "../../server/graphql/schema.ts";
import { catchUpActions } from "../../server/resources/recorded/actions/store.ts";
import { startRecorder } from "../support/blamed/recorder.ts";
import { BlamedRepository } from "../support/blamed/repository.ts";
import { type AgentShell, createAgentShell } from "../support/cli/cli.ts";
import { findStrayFields, readDocumentedShapes } from "../support/cli/shapes-of-docs.ts";
import { MUTATION_SAMPLES } from "../support/graphql/mutations.ts";
import { connectSharedClient } from "../support/mcp.ts";
import { startWorkingSession } from "../support/recording/agent-work.ts";
import { callRestApi, startSharedServer } from "../support/server.ts";
import { createAgent } from "../support/tracker/work.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

/** Records a turn with tool calls; the last call fails. */
async function record({ url, ingestKey }: Workspace, tools: string[], session_id: string = randomUUID()) {
  const timestamp = Date.now() - 1_000;
  const said = { primitive_name: "claude-code", args: "Run the tests.", result: "Done." };
  const turn = { event_id: randomUUID(), timestamp, ...said };
  const calls = tools.map((primitive_name, at) => ({
    timestamp: timestamp + at + 1,
    ...{ event_id: randomUUID(), parent_id: turn.event_id, primitive_name, args: '{"path":"."}', session_id },
    ...{ result: at === tools.length - 1 ? '{"error":"timeout"}' : "ok", success: at < tools.length - 1 },
  }));
  const body = { events: [{ ...turn, session_id }, ...calls] };
  const { status } = await callRestApi(url, "POST", "/api/v1/capture-events", {
    headers: { "x-api-key": ingestKey },
    body,
  });
  expect(status).to.be.oneOf([200, 202]);
  return session_id;
}

/** Makes the holder of another issue change a file that a session of this issue changed before. */
async function changesFileOf(space: Workspace, id: string) {
  const [before, now] = [await startWorkingSession(space, "Mend it"), await startWorkingSession(space, "Mend another")];
  for (const session of [before, now]) await session.edits("/srv/parcels/parser.ts");
  await space.does("issueClaim", { input: { id, sessionId: before.id } });
  await space.does("issueRelease", { id });
  await space.does("issueClaim", { input: { id: (await space.issue()).id, sessionId: now.id } });
  const { db } = (await startSharedServer()).runtime;
  expect(await catchUpActions(db, space.organizationId, [before.id, now.id])).to.equal(true);
}

/** Creates a file with a line that a session wrote and committed. */
async function blamedFile(space: Workspace): Promise<{ path: string; session: string }> {
  const repository = new BlamedRepository(mkdtempSync(join(tmpdir(), "trackway-blamed-")));
  const recorder = await startRecorder(space, "claude-code", randomUUID(), repository.folder);
  repository.create("a.ts", ["const written = 1;"], recorder.session);
  await recorder.creates("a.ts", ["const written = 1;"]);
  await recorder.ran("git commit -m Begin", repository.commit("Begin", recorder.session, "unchanged"));
  return { path: join(repository.folder, "a.ts"), session: recorder.session };
}

/** Runs every command that can print its plan. Returns the output. */
async function planned(shell: AgentShell): Promise<[string, unknown][]> {
  const span = ["--starts", "2000-01-03", "--ends", "2100-01-03"];
  const made: [string, string[], string[]][] = [
    ["team", ["Platform", "--key", "PLAT"], ["PLAT"]],
    ["label", ["slow"], ["slow"]],
    ["project", ["Launch", "--team", "ENG", "--target", "2027-03-31"], ["Launch"]],
    ["cycle", ["--team", "ENG", ...span], ["current", "--team", "ENG"]],
    ["milestone", ["Alpha", "--project", "Another"], ["Alpha"]],
  ];
  const answers: [string, unknown][] = [];
  for (const [name, create, edit] of made) {
    const type = name.charAt(0).toUpperCase() + name.slice(1);
    answers.push([`One${type}`, await shell.tells(name, "create", ...create)]);
    answers.push([`One${type}`, await shell.tells(name, "edit", ...edit, "--name", "Another")]);
    answers.push([`${type}s`, await shell.tells(name, "list")]);
  }
  return answers;
}

describe("output of the command line", () => {
  // The machine may be busy.
  let space: Workspace;
  let shell: AgentShell;
  before(async () => {
    space = await createWorkspace();
    shell = createAgentShell(space.url, (await createAgent(space, "Ada")).token);
  });

  it("comes from documents that are valid against the schema", () => {
    const schema = getIntrospectionSchema("native");
    const groups = [...Object.values(documents), ...Object.values(planning), NAME_LOOKUP_DOCUMENTS];
    const all = groups.flatMap((group) => Object.values(group));
    for (const document of all) expect(validate(schema, parse(document)), document).to.deep.equal([]);
    expect(all.length).to.be.greaterThan(15);
  });

  it("with --json has the documented fields of docs/cli.md", async () => {
    const shapes = readDocumentedShapes("docs/cli.md");
    const parent = (await shell.tells("create", "The parent")).issue.id;
    const plain = await shell.tells("create", "A plain one");
    await space.does("issueLabelCreate", { input: { name: "bug" } });
    const rich = ["--description", "All of it.", "--priority", "high", "--label", "bug", "--due", "2027-01-31"];
    const id = (await shell.tells("create", "Rich", ...rich, "--parent", parent, "--estimate", "3")).issue.id;
    await shell.says("update", id, "--blocked-by", plain.issue.id, "--discovered-from", parent, "--related-to", parent);
    const session = await record(space, ["read_file", "run_tests"]);
    const blamed = await blamedFile(space);
    const entries = ((await MUTATION_SAMPLES["inboxEntryUpdate"]?.(space)) as { ids: string[] } | undefined)?.ids ?? [];
    await space.does("teamUpdate", { id: space.teamId, input: { proof: { commands: ["npm test"] } } });
    await changesFileOf(space, parent);
    const answers: [string, unknown][] = [
      ["Changed", plain],
      ["One", await shell.tells("update", plain.issue.id, "--title", "A plainer one")],
      ["Claimed", await shell.tells("ready", "--claim", "--session", session)],
      ["Commented", await shell.tells("comment", id, "Hm.")],
      ["Shown", await shell.tells("show", id)],
      ["Shown", await shell.tells("show", parent)],
      ["Issues", await shell.tells("ready", "--limit", "1")],
      ["Found", await shell.tells("search", "plain")],
      ["Primed", await shell.tells("prime")],
      ["Sessions", await shell.tells("sessions")],
      ["Inbox", await shell.tells("inbox")],
      ["Marked", await shell.tells("inbox", "done", ...entries)],
      ["Used", await shell.tells("usage", "--by", "agent")],
      ["Recorded", await shell.tells("session", session)],
      ["Recorded", await shell.tells("session", blamed.session)],
      ["Blamed", await shell.tells("blame", blamed.path)],
      ...(await planned(shell)),
      ["One", await shell.tells("update", id, "--project", "Another", "--milestone", "Another", "--cycle", "current")],
      ["Listed", await shell.tells("list", "--cycle", "current", "--milestone", "another")],
      ["Counted", await shell.tells("list", "--count", "--group-by", "label")],
      ["Past", await shell.tells("history", id)],
      ["Opened", JSON.parse((await shell.run(["open", id, "--json"], { env: { BROWSER: "true" } })).stdout)],
      ["Changed", await shell.tells("start", plain.issue.id)],
      ["Several", JSON.parse((await shell.run(["start", plain.issue.id, "ENG-99", "--json"])).stdout)],
      ["Failed", JSON.parse((await shell.run(["show", "ENG-99", "--json"])).stderr)],
      ["Unlinked", await shell.tells("unlink", parent, id)],
      ["Completed", await shell.tells("done", plain.issue.id)],
      ["HandedOver", await shell.tells("handover", plain.issue.id)],
      ["Claimed", await shell.tells("claim", parent)],
      ["Changed", await shell.tells("release", parent)],
      ["Deleted", await createAgentShell(space.url, space.apiKey).tells("session", "delete", session, "--yes")],
      ["Who", await shell.tells("whoami")],
    ];
    for (const [type, value] of answers)
      expect(findStrayFields(shapes, type, value), JSON.stringify(value)).to.deep.equal([]);
    const told = new Set(
      JSON.stringify(answers)
        .match(/"(\w+)":/g)
        ?.map((name) => name.slice(1, -2)),
    );
    const documented = [...shapes].flatMap(([, fields]) => [...fields.keys()]);
    expect(documented.filter((name) => !told.has(name))).to.deep.equal([]);
    const table = [...readFileSync("docs/cli.md", "utf8").matchAll(/^\| (.*) \| `(\w+)` \|$/gm)];
    expect(table.length).to.be.greaterThan(9);
    for (const [, commands, type] of table)
      expect(
        answers.map(([name]) => name),
        commands,
      ).to.include(type);
  });

  it("contains each entry of every list once, page by page", async () => {
    const big = await createWorkspace();
    const { run } = createAgentShell(big.url, big.apiKey);
    const { id, identifier } = await big.issue({ title: "paged 0", priority: 1 });
    for (let n = 1; n < 5; n += 1) await big.issue({ title: `paged ${n}` });
    for (let n = 0; n < 5; n += 1) await big.does("commentCreate", { input: { issueId: id, body: `${n}` } });
    for (let n = 0; n < 5; n += 1) await big.does("issueLabelCreate", { input: { name: `label ${n}` } });
    const changed = await big.issue({ title: "changed 0", stateId: big.states["Done"] });
    for (let n = 1; n < 5; n += 1) await big.does("issueUpdate", { id: changed.id, input: { title: `changed ${n}` } });
    for (let n = 0; n < 4; n += 1) await record(big, ["a"]);
    const session = await record(big, ["a", "b", "c", "d"]);
    const lists: [string, string[]][] = [
      ["issues", ["ready"]],
      ["issues", ["list"]],
      ["issues", ["search", "paged"]],
      ["labels", ["label", "list"]],
      ["changes", ["history", changed.identifier]],
      ["comments", ["show", identifier]],
      ["sessions", ["sessions"]],
      ["events", ["session", session]],
    ];
    const walk = async (name: string, args: string[]) => {
      const ids: string[] = [];
      const sizes: number[] = [];
      for (let after: string[] = []; ; ) {
        const { stdout, stderr } = await run([...args, "--limit", "2", ...after, "--json"]);
        const page = JSON.parse(stdout || `{"failed":${JSON.stringify(stderr)}}`);
        sizes.push(page[name].length);
        ids.push(...page[name].map((each: { id: string }) => each.id));
        if (page.next === null) return { ids, sizes };
        after = ["--after", page.next];
      }
    };
    const text = async (args: string[]) => (await run([...args, "--limit", "2"])).stdout;
    for (const [name, args] of lists) {
      const { ids, sizes } = await walk(name, args);
      expect([new Set(ids).size, sizes], args.join(" ")).to.deep.equal([5, [2, 2, 1]]);
      expect(await text(args)).to.match(/the same with --after \S+\n$/);
    }
  });

  it("shows a session as a tree, and lists failed sessions", async () => {
    const session = await record(space, ["read_file", "run_tests"]);
    const lines = (await shell.says("session", session)).trimEnd().split("\n");
    expect(lines[0]).to.match(new RegExp(`^${session} \\S+Z claude-code 3 events 1 FAILED "Run the tests\\."$`));
    expect(lines[1]).to.match(/^\d\d:\d\d:\d\d turn claude-code Run the tests\.$/);
    expect(lines[3]).to.match(/^\d\d:\d\d:\d\d {3}\w+ run_tests FAILED \{"path":"\."\} → .*timeout/);
    expect(await shell.says("sessions", "--failed", "--since", "1h", "--tool", "run_tests")).to.contain(session);
    expect(await shell.says("sessions", "--agent", "nobody")).to.equal("No recorded sessions.\n");
  });

  it("follows a session and prints each new event once", async () => {
    const session = await record(space, ["first"]);
    const following = shell.run(["session", session, "--follow", "--for", "8", "--json"]);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await record(space, ["second"], session);
    const { code, stdout } = await following;
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect([code, events.map(({ name }) => name)]).to.deep.equal([
      0,
      ["claude-code", "first", "claude-code", "second"],
    ]);
    for (const event of events)
      expect(findStrayFields(readDocumentedShapes("docs/cli.md"), "Event", event)).to.deep.equal([]);
  });

  it("of prime has at most 1,000 tokens for any amount of data", async () => {
    const big = await createWorkspace();
    const ada = await createAgent(big, "Ada of the very long name that nobody remembers ".repeat(3));
    const title = "Something long that has to be said in a title of very many words, over and over ".repeat(5);
    const issues = [];
    for (let n = 0; n < 30; n += 1) issues.push(await big.issue({ title: `${n} ${title}`, priority: n % 5 }));
    for (const { id } of issues.slice(0, 10)) await ada.claim({ id });
    for (const { id } of issues.slice(11, 20))
      await big.does("issueRelationCreate", { input: { type: "blocks", issueId: issues[10].id, relatedIssueId: id } });
    const text = await createAgentShell(big.url, ada.token).says("prime");
    expect(countTokens(text)).to.be.at.most(1_000);
    expect(text)
      .to.match(/Yours, in progress:\n- ENG-\d+ /)
      .and.to.contain(`by ${issues[10].identifier}`);
    // The CLI and the MCP server may not import each other's code, so this test compares their output.
    const { client } = await connectSharedClient({ ...big, apiKey: ada.token });
    const { messages } = await client.getPrompt({ name: "prime" });
    const prompt = String((messages[0]?.content as { text: string } | undefined)?.text);
    const listed = (from: string) => from.match(/^(?:- .*|[A-Z][a-z, ]+:)$/gm);
    expect(listed(text)).to.have.length.greaterThan(14);
    expect(listed(text), "the command and the prompt of that name say the same").to.deep.equal(listed(prompt));
  });
});

describe("text from strangers on the command line", () => {
  // The machine may be busy.
  const UNSAFE = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/u;
  const nasty = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom("\x1b", "[2J", "\x9b", "\u202e", "a", "\r", "\n", "🏴") }),
  );

  it("is safe for a terminal, for any text, and unchanged in JSON", () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 1, max: 40 }), (text, most) => {
        expect(escapeUnsafe(text)).not.to.match(UNSAFE);
        expect(toOneLine(text, most))
          .not.to.match(/[\n\t]/)
          .and.not.to.match(UNSAFE);
        expect(toOneLine(text, most).length).to.be.at.most(most);
        expect(toSafeJson({ text })).not.to.match(UNSAFE).and.not.to.match(/\n/);
        expect(JSON.parse(toSafeJson({ text })).text).to.equal(text);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is safe in every command: in titles, names, labels, comments, sessions and errors", async () => {
    const evil = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202eexe.\u2028 \x7f";
    const space = await createWorkspace();
    const ada = await createAgent(space, `Ada ${evil}`);
    await space.does("issueLabelCreate", { input: { name: `bug ${evil}` } });
    const { issueLabels } = await space.gql("{ issueLabels { nodes { id } } }");
    const input = { title: `T ${evil}`, description: `D ${evil}`, labelIds: [issueLabels.nodes[0].id] };
    const [held, free] = [await space.issue(input), await space.issue(input)];
    await space.does("commentCreate", { input: { issueId: held.id, body: `C ${evil}` } });
    await ada.claim({ id: held.id, sessionId: `s ${evil}` });
    await space.does("issueRelationCreate", { input: { type: "blocks", issueId: free.id, relatedIssueId: held.id } });
    const session = await record(space, [`tool ${evil}`, `tool ${evil}`]);
    const shell = createAgentShell(space.url, space.apiKey);
    const commands = [
      ...[["ready"], ["prime"], ["search", "T"], ["show", held.identifier], ["show", free.identifier], ["sessions"]],
      ...[["list"], ["list", "--group-by", "label"], ["list", "--count", "--group-by", "label"], ["label", "list"]],
      ...[
        ["history", held.identifier],
        ["label", "edit", evil.trim()],
        ["project", "create", `P ${evil}`],
        ["project", "list"],
      ],
      ...[
        ["session", session],
        ["claim", held.identifier],
        ["done", held.identifier],
        ["show", evil.trim()],
      ],
      ...[["ready", "--team", evil], ["create", evil, "--label", evil], ["create", `New ${evil}`], ["whoami"]],
      ...[
        ["update", free.identifier, "--title", evil],
        ["claim", free.identifier],
        ["release", free.identifier],
      ],
    ];
    let seen = 0;
    for (const args of commands.flatMap((args) => [args, [...args, "--json"]])) {
      const { stdout, stderr } = await shell.run(args);
      expect(stdout + stderr, args.join(" ")).not.to.match(UNSAFE);
      if (/\\x1b|\\u001b/.test(stdout + stderr)) seen += 1;
    }
    expect(seen).to.be.greaterThan(15);
    expect((await createAgentShell(space.url, ada.token).run(["whoami"])).stdout).to.contain("Ada \\x1b]0;owned");
  });

  it("is refused if it contains NUL, is too long or empty", async () => {
    const space = await createWorkspace();
    const { identifier: id } = await space.issue();
    const shell = createAgentShell(space.url, space.apiKey);
    const inputs = ["a\0b", "x".repeat(3_000_000), "\ud800".repeat(3), ""];
    for (const input of inputs)
      for (const args of [
        ["comment", id, "-"],
        ["update", id, "--description", "-"],
        ["done", id, "-m", "-"],
      ]) {
        const { code, stderr } = await shell.run(args, { input });
        if (input.startsWith("\ud800")) continue;
        expect([code, stderr], `${args[0]} of ${input.length}`).to.have.nested.property("[0]", 2);
        expect(stderr).to.match(/^trackway: [^\n]+ try: [^\n]+\n$/);
      }
    for (const args of [
      ["create", "x".repeat(100_000)],
      ["search", "x ".repeat(40_000)],
      ["show", "x".repeat(100_000)],
    ]) {
      const { code, stderr } = await shell.run(args);
      expect(code, args[0]).to.be.oneOf([2, 3]);
      expect(stderr.length).to.be.lessThan(2_100);
    }
  });

  it("is written only by the function that makes it safe", () => {
    const found = execFileSync("grep", ["-rlE", "(stdout|stderr)\\.write\\(|console\\.", "cli"], { encoding: "utf8" });
    expect(found.trim().split("\n").sort()).to.deep.equal(["cli/output/print.ts"]);
  });
});

describe("shell completion", () => {
  // The machine may be busy.
  const inBash = (script: string, line: string[]) => {
    const words = line.map((word) => `'${word}'`).join(" ");
    const ask = `COMP_WORDS=(${words}); COMP_CWORD=${line.length - 1}; _trackway; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["-c", `${script}\n${ask}`], { encoding: "utf8" })
      .trimEnd()
      .split("\n");
  };

  it("of bash offers commands, options and their values", async () => {
    const script = await createAgentShell("", "").says("completion", "bash");
    expect(inBash(script, ["trackway", "se"])).to.deep.equal(["search", "sessions", "session"]);
    expect(inBash(script, ["trackway", "ready", "--cl"])).to.deep.equal(["--claim"]);
    expect(inBash(script, ["trackway", "create", "--priority", "u"])).to.deep.equal(["urgent"]);
    expect(inBash(script, ["trackway", "completion", ""])).to.include.members(["bash", "zsh", "fish"]);
    expect(inBash(script, ["trackway", "import", "lin"])).to.deep.equal(["linear-csv"]);
    expect(inBash(script, ["trackway", "done", "ENG-1", "--m"])).to.deep.equal(["--message"]);
  });

  it("of fish offers commands, options, their values and files", async function () {
    if (spawnSync("fish", ["--version"]).status !== 0) return this.skip();
    const script = await createAgentShell("", "").says("completion", "fish");
    const inFish = (line: string) =>
      execFileSync("fish", ["--no-config", "-c", `${script}\ncomplete -C '${line}'`], { encoding: "utf8" })
        .trimEnd()
        .split("\n")
        .map((each) => each.split("\t")[0]);
    expect(inFish("trackway se")).to.deep.equal(["search", "session", "sessions"]);
    expect(inFish("trackway create --priority u")).to.deep.equal(["urgent"]);
    expect(inFish("trackway import linear-csv packa")).to.include("package.json");
    expect(inFish("trackway import lin")).to.deep.equal(["linear-csv"]);
    expect(inFish("trackway show packa")).not.to.include("package.json");
  });

  it("of every shell includes every command and option of the help", async () => {
    const shell = createAgentShell("", "");
    const help = await shell.says("--help");
    const commands = [...help.matchAll(/^ {2}([a-z]+) (?:\[|<| )/gm)].map(([, name]) => String(name));
    expect(commands).to.include.members(["ready", "claim", "done", "session", "completion"]);
    const scripts: string[] = [];
    for (const name of ["bash", "zsh", "fish"]) scripts.push(await shell.says("completion", name));
    for (const name of commands.filter((one) => one !== "help")) {
      const flags = [...(await shell.says(name, "--help")).matchAll(/^ {2}(?:-\w, )?--([a-z-]+)/gm)].map(
        ([, flag]) => flag,
      );
      for (const script of scripts) {
        expect(script).to.contain(name);
        const lines = script
          .split("\n")
          .filter((line) => new RegExp(`^ *${name}\\)|seen_subcommand_from ${name}'`).test(line));
        for (const flag of flags)
          expect(lines.join("\n"), `${name} --${flag}`).to.match(new RegExp(`(--|-l )${flag}\\b`));
      }
    }
  });
});
