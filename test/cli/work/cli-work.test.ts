import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect } from "chai";
import { type AgentShell, createAgentShell } from "../../support/cli/cli.ts";
import { createAgent, type TestAgent } from "../../support/tracker/work.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

const ONE_LINE = /^trackway: [^\n]+ try: [^\n]+\n$/;

describe("issues on the command line", () => {
  // Each command needs a separate process, and the machine may be busy.
  let space: Workspace;
  let ada: TestAgent;
  let bob: TestAgent;
  let shell: AgentShell;
  before(async () => {
    space = await createWorkspace();
    [ada, bob] = [await createAgent(space, "Ada"), await createAgent(space, "Bob")];
    shell = createAgentShell(space.url, ada.token);
  });
  const refused = async (code: number, words: string | RegExp, ...args: string[]) => {
    const ran = await shell.run(args);
    expect([ran.code, ran.stdout], `${args.join(" ")}: ${ran.stderr}`).to.deep.equal([code, ""]);
    expect(ran.stderr).to.match(ONE_LINE).and.to.match(new RegExp(words));
  };

  it("are created, claimed by urgency, commented on, linked and closed", async () => {
    await shell.says("create", "Something else");
    await space.does("issueLabelCreate", { input: { name: "bug" } });
    const flags = ["--priority", "urgent", "--label", "BUG", "--assignee", "me", "--due", "2027-01-31"];
    const created = await shell.says("create", "The login fails", "--description", "Each night.", ...flags);
    const [, id = ""] = /^Created (ENG-\d+) urgent \[Backlog\] The login fails @Ada #bug due 2027-01-31\nhttp/.exec(
      created,
    ) ?? [created];
    expect((await shell.says("ready")).split("\n")[0]).to.equal(
      `${id} urgent [Backlog] The login fails @Ada #bug due 2027-01-31`,
    );
    const claimed = await shell.says("ready", "--claim", "--ttl", "60");
    expect(claimed).to.match(new RegExp(`^Claimed ${id} until \\S+Z, fence 1 \\(remembered\\)\\.\n`));
    expect(claimed).to.contain("\nEach night.\n");
    expect(await shell.says("comment", id, "Looking into it.")).to.equal(`Commented on ${id}.\n`);
    const found = await shell.tells("create", "The clock is wrong", "--discovered-from", id, "--blocks", id);
    expect(await shell.says("update", id, "--estimate", "3", "--state", "started")).to.contain(`Updated ${id}`);
    const shown = await shell.tells("show", id);
    expect(shown.issue).to.deep.include({ estimate: 3, ready: false, delegate: "Ada", state: "In Progress" });
    expect(shown.issue.lease).to.deep.include({ fence: 1, holder: "Ada", mine: true });
    const other = { id: found.issue.id, title: "The clock is wrong", state: "Backlog" };
    expect(shown.issue.blockedBy).to.deep.equal([other]);
    expect(shown.issue.relations).to.deep.equal([{ type: "ledTo", ...other }]);
    expect(await shell.says("done", id, "-m", "It was the clock.")).to.contain(`Done: ${id} urgent [Done]`);
    const { issue } = await space.gql(
      `{ issue(id: "${id}") { state { name } lease { fence } comments { nodes { body user { name } } } } }`,
    );
    expect(issue).to.deep.equal({
      state: { name: "Done" },
      lease: null,
      comments: {
        nodes: [
          { body: "It was the clock.", user: { name: "Ada" } },
          { body: "Looking into it.", user: { name: "Ada" } },
        ],
      },
    });
    expect(await shell.says("search", "clock", "wrong")).to.contain(found.issue.id);
    expect(await shell.says("search", "--similar", "Clocks", "are", "wrong")).to.contain(found.issue.id);
    const none = await shell.run(["search", "zebra", "--json"]);
    expect([none.stderr.trim(), JSON.parse(none.stdout).issues]).to.deep.equal(["No issue contains zebra.", []]);
    expect((await shell.says("prime")).split("\n")[0]).to.contain("You are Ada, working on all teams.");
  });

  it("take text from standard input", async () => {
    const { id } = (await shell.tells("create", "Texts")).issue;
    const text = "One line,\n\nand `another`.";
    for (const args of [
      ["comment", id, "-"],
      ["update", id, "--description", "-"],
      ["done", id, "-m", "-"],
    ])
      expect((await shell.run(args, { input: `${text}\n` })).code).to.equal(0);
    const { issue } = await space.gql(`{ issue(id: "${id}") { description comments { nodes { body } } } }`);
    expect(issue).to.deep.equal({ description: text, comments: { nodes: [{ body: text }, { body: text }] } });
  });

  it("are claimed with a fence stored for its owner alone, and every command refuses a stale fence", async () => {
    const { id } = (await shell.tells("create", "Contended")).issue;
    await shell.says("claim", id);
    const files = readdirSync(join(shell.home, ".config/trackway/fences"), { recursive: true, encoding: "utf8" });
    const [file = ""] = files.filter((name) => name.endsWith(`${id}.json`));
    expect(statSync(join(shell.home, ".config/trackway/fences", file)).mode & 0o777).to.equal(0o600);
    expect(file).not.to.contain(ada.token.slice(8));
    await space.does("issueRelease", { id });
    await bob.claim({ id });
    const writes = [
      ["done", id],
      ["release", id],
      ["comment", id, "x"],
      ["update", id, "--title", "x"],
    ];
    for (const args of writes) await refused(4, `Bob holds ${id}.*--force`, ...args);
    await refused(4, "Bob holds", "claim", id, "--renew");
    await refused(4, "Bob holds", "done", id, "--fence", "1");
    const { issue } = await space.gql(`{ issue(id: "${id}") { title state { name } comments { nodes { id } } } }`);
    expect(issue).to.deep.equal({ title: "Contended", state: { name: "In Progress" }, comments: { nodes: [] } });
    await shell.says("comment", id, "As one who looks on.", "--force");
    await refused(4, "an agent may comment", "done", id, "--force");
    await createAgentShell(space.url, space.apiKey).says("done", id, "--force");
    expect((await space.read(id)).state.name).to.equal("Done");
  });

  it("claimed by another holder cannot be closed or released, and own claims made elsewhere can", async () => {
    const [one, other] = [(await space.issue()).identifier, (await space.issue()).identifier];
    await bob.claim({ id: one });
    for (const command of ["done", "release"]) await refused(4, `Bob holds ${one}`, command, one);
    await refused(4, `Bob holds ${one}`, "claim", one);
    await ada.claim({ id: other, ttlSeconds: 60 });
    const { issue } = await shell.tells("claim", other, "--renew", "--ttl", "3600");
    expect(Date.parse(issue.lease.until) - Date.now()).to.be.greaterThan(3_000_000);
    expect(await shell.says("release", other, "-m", "No time.")).to.contain(`Released ${other} [Backlog]`);
    await refused(4, "an agent may comment", "release", one, "--force");
    await createAgentShell(space.url, space.apiKey).says("release", one, "--force");
    expect((await space.read(one)).state.name).to.equal("Backlog");
  });

  it("have fences per session for agents that share a home folder and a key", async () => {
    const { identifier: id } = await space.issue();
    const env = (TRACKWAY_SESSION: string) => ({ env: { TRACKWAY_SESSION } });
    expect((await shell.run(["claim", id], env("one"))).code).to.equal(0);
    expect((await shell.tells("show", id)).issue.lease.session).to.equal("one");
    await space.does("issueRelease", { id });
    expect((await shell.run(["claim", id], env("two"))).code).to.equal(0);
    const late = await shell.run(["done", id], env("one"));
    expect([late.code, late.stderr]).to.have.nested.property("[0]", 4);
    expect(late.stderr).to.contain("Ada holds");
    expect((await shell.run(["done", id], env("two"))).code).to.equal(0);
  });

  it("are claimed by one of many concurrent callers each", async () => {
    const label = (await space.does("issueLabelCreate", { input: { name: "race" } }, "issueLabel { id }")).issueLabel
      .id;
    const ids = [];
    for (let n = 0; n < 3; n += 1) ids.push((await space.issue({ labelIds: [label] })).identifier);
    const shells = [shell, createAgentShell(space.url, bob.token)];
    const races = Array.from({ length: 6 }, (_, n) =>
      shells[n % 2]?.run(["ready", "--claim", "--label", "race", "--json"]),
    );
    const ran = await Promise.all(races);
    const won = ran.flatMap((one) => (one?.code === 0 ? [JSON.parse(one.stdout).issue.id] : []));
    expect(won.sort()).to.deep.equal(ids.sort());
    expect(ran.filter((one) => one?.code === 3)).to.have.length(3);
  });

  it("are not created when a link's target does not exist", async () => {
    const count = async () => (await space.gql("{ issues(first: 250) { nodes { id } } }")).issues.nodes.length;
    const before = await count();
    await refused(3, "no issue ENG-999 to link to", "create", "Lonely", "--blocks", "ENG-999");
    expect(await count()).to.equal(before);
    const [one, other] = [(await space.issue()).identifier, (await space.issue()).identifier];
    await shell.says("update", one, "--blocks", other);
    await refused(4, `(${one}|${other}) → (${one}|${other}) → (${one}|${other})`, "update", other, "--blocks", one);
    await refused(4, `blocked`, "claim", other);
    await shell.says("update", other, "--duplicate-of", one);
    expect((await space.read(other)).state.type).to.equal("duplicate");
  });
});

describe("a failing command about issues", () => {
  // Each command needs a separate process, and the machine may be busy.
  it("has an exit code by cause, and one line with a hint", async () => {
    const space = await createWorkspace();
    const { identifier: id } = await space.issue();
    const shell = createAgentShell(space.url, space.apiKey);
    const cases: [number, RegExp, string[], Record<string, string>?][] = [
      [1, /No server responds at .*try: /, ["ready"], { TRACKWAY_URL: "http://127.0.0.1:9" }],
      [2, /--limit cannot be "0"\. .*1 to 100.*try: trackway ready --help/, ["ready", "--limit", "0"]],
      [2, /Unknown option '--labels'/, ["ready", "--labels", "x"]],
      [2, /Missing required argument 'issue'\./, ["show"]],
      [2, /Too many arguments/, ["show", id, id]],
      [2, /Allowed choices are none, urgent/, ["create", "x", "--priority", "huge"]],
      [2, /Use a day/, ["create", "x", "--due", "tomorrow"]],
      [2, /No changes were given.*try: trackway update --help/, ["update", id]],
      [2, /cannot be used with/, ["done", id, "--fence", "1", "--force"]],
      [2, /not a cursor of this list/, ["session", "x", "--after", "nonsense"]],
      [2, /cursor/, ["ready", "--after", "nonsense"]],
      [2, /title/, ["create", ""]],
      [2, /Allowed choices are bash, zsh, fish/, ["completion", "tcsh"]],
      [3, /There is no issue ENG-999\..*try: trackway search/, ["show", "ENG-999"]],
      ...["claim", "done", "release"].map((name): [number, RegExp, string[]] => [3, /no issue X-1/, [name, "X-1"]]),
      [3, /no issue X-1/, ["comment", "X-1", "hello"]],
      [3, /no issue X-1/, ["update", "X-1", "--title", "hello"]],
      [3, /There is no team "NONE".*try: one of ENG/, ["ready", "--team", "NONE"]],
      [3, /There is no label "nope"/, ["create", "x", "--label", "nope"]],
      [3, /There is no user "nobody".*Olive/, ["update", id, "--assignee", "nobody"]],
      [3, /Team ENG has no state "Gone".*try: one of Backlog/, ["update", id, "--state", "Gone"]],
      [3, /There is no session/, ["session", "0198c0de-0000-7000-8000-000000000002"]],
      [3, /There is no session mine/, ["session", "mine"]],
      [3, /No issue is ready.*try: trackway prime/, ["ready", "--claim", "--label", "rare"]],
      [4, /closed|completed|Done/i, ["claim", "ENG-2"]],
      [5, /You are not logged in.*try: trackway login/, ["ready"], { TRACKWAY_API_KEY: "" }],
      [5, /try: /, ["ready"], { TRACKWAY_API_KEY: `trk_api_${"0".repeat(40)}` }],
    ];
    await space.does("issueLabelCreate", { input: { name: "rare" } });
    await space.issue({ stateId: space.states["Done"] });
    for (const [code, line, args, env = {}] of cases) {
      const ran = await shell.run(args, { env });
      expect([ran.code, ran.stdout], args.join(" ") + ran.stderr).to.deep.equal([code, ""]);
      expect(ran.stderr, args.join(" "))
        .to.match(/^trackway: [^\n]+\n$/)
        .and.to.match(line);
    }
  });

  it("asks for the team when there are several, and reads it from the environment", async () => {
    const space = await createWorkspace();
    await space.does("teamCreate", { input: { key: "OPS", name: "Operations" } });
    const shell = createAgentShell(space.url, space.apiKey);
    const { code, stderr } = await shell.run(["create", "Whose?"]);
    expect([code, stderr]).to.have.nested.property("[0]", 2);
    expect(stderr).to.match(/Several teams exist: .*(ENG|OPS).*try: --team (ENG|OPS), or TRACKWAY_TEAM/);
    const ran = await shell.run(["create", "Ours", "--json"], { env: { TRACKWAY_TEAM: "ops" } });
    expect(JSON.parse(ran.stdout).issue.team).to.equal("OPS");
  });

  it("reports a truncated response in one line, and waits for a server that is busy for a second", async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked += 1;
      if (asked === 1) return void response.writeHead(503, { "Retry-After": "1" }).end("{}");
      response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "1000" }).write('{"data"');
      setTimeout(() => response.destroy(), 50);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await createAgentShell(`http://127.0.0.1:${port}`, `trk_api_${"0".repeat(40)}`).run([
      "ready",
    ]);
    server.close();
    expect([asked, code, stderr]).to.have.nested.property("[1]", 1);
    expect(asked).to.equal(2);
    expect(stderr).to.match(ONE_LINE).and.to.contain("was cut off");
  });
});
