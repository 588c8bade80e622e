import { chmodSync, existsSync, lstatSync, mkdirSync, symlinkSync } from "node:fs";
import { expect } from "chai";
import { parse } from "jsonc-parser";
import { getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import { type CliUser, createAgentShell, createSignedInUser } from "../../support/cli/cli.ts";
import { sample } from "../../support/run/runs.ts";
import { createOrganization, type Tenant } from "../../support/server.ts";

const json = (text: string): any => parse(text);
const toml = (text: string): any => getStaticTOMLValue(parseTOML(text));
const QUIET = ["--yes", "--no-probe"];

/** Files of an agent with content that a user may have, and the expected content afterwards. */
interface Subject {
  agent: string;
  files: Record<string, { before: string; malformed: string; kept: string[]; tools?: (text: string) => any }>;
}

const servers = (text: string) => json(text).mcpServers.trackway;
const THEIRS = '{\n  "mcpServers": {\n    "other": { "command": "x" }\n  }\n}\n';
const strict = (before: string, kept: string[], tools?: (text: string) => any) => ({
  before,
  malformed: before.replace("{", "{ // no comments here\n"),
  kept,
  ...(tools && { tools }),
});

const SUBJECTS: Subject[] = [
  {
    agent: "claude-code",
    files: {
      ".claude/settings.json": strict(
        '{\n    "model": "opus",\n    "hooks": {\n        "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }]\n    }\n}\n',
        ['"model": "opus"', '"command": "say done"'],
      ),
      ".claude.json": strict('{"numStartups":7,"mcpServers":{"other":{"command":"x"}}}', ['"numStartups"'], servers),
    },
  },
  {
    agent: "codex",
    files: {
      ".codex/config.toml": {
        before:
          'model = "gpt-5" # mine\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "say done"\n\n[mcp_servers.other]\ncommand = "x"\n# the end\n',
        malformed: 'model = "gpt-5\n',
        kept: ['model = "gpt-5" # mine\n', "# the end\n", 'command = "say done"\n'],
        tools: (text) => toml(text).mcp_servers.trackway,
      },
    },
  },
  {
    agent: "gemini-cli",
    files: {
      ".gemini/settings.json": {
        before: '{\n  // mine\n  "ui": { "theme": "Dark" },\n  "mcpServers": { "other": { "command": "x" } }\n}\n',
        malformed: '{ "ui": { }\n',
        kept: ["// mine\n", '"ui": { "theme": "Dark" }'],
        tools: servers,
      },
    },
  },
  { agent: "copilot", files: { ".copilot/mcp-config.json": strict(THEIRS, ['"other"'], servers) } },
  {
    agent: "vscode",
    files: {
      ".config/Code/User/mcp.json": {
        before: '{\n\t// mine\n\t"servers": {\n\t\t"other": { "command": "x" },\n\t},\n}\n',
        malformed: "[]",
        kept: ["// mine\n", '"other"'],
        tools: (text) => json(text).servers.trackway,
      },
      ".config/Code/User/settings.json": {
        before: '{\n\t"editor.tabSize": 2, // two\n}\n',
        malformed: '{ "editor.tabSize": }',
        kept: ['"editor.tabSize": 2', "// two"],
      },
    },
  },
  {
    agent: "opencode",
    files: {
      ".config/opencode/opencode.json": {
        before: '{\n  // mine\n  "model": "a/b",\n  "mcp": { "other": { "type": "local", "command": ["x"] } }\n}\n',
        malformed: '{ "model": }',
        kept: ["// mine\n", '"other"'],
        tools: (text) => ({ args: json(text).mcp.trackway.command }),
      },
    },
  },
  {
    agent: "qwen-code",
    files: {
      ".qwen/settings.json": {
        before: '{\n  // mine\n  "ui": { "theme": "Dark" },\n  "mcpServers": { "other": { "command": "x" } }\n}\n',
        malformed: '{ "ui": { }\n',
        kept: ["// mine\n", '"ui": { "theme": "Dark" }'],
        tools: servers,
      },
    },
  },
  {
    agent: "cursor",
    files: {
      ".cursor/mcp.json": { ...strict(THEIRS, ['"other"'], servers), malformed: "not json" },
      ".cursor/hooks.json": {
        before: '{\n  "version": 1,\n  "hooks": { "stop": [{ "command": "say done" }] }\n}\n',
        malformed: "[]",
        kept: ['"command": "say done"'],
      },
    },
  },
  {
    agent: "claude-desktop",
    files: { ".config/Claude/claude_desktop_config.json": strict(THEIRS, ['"other"'], servers) },
  },
];

/** Shortens the keys in a line to the part that is shown. */
const shortKey = (line: string) => line.replace(/\b(trk_api_|sk_)[0-9a-f…]+/g, "$1…");

describe("trackway connect", () => {
  let tenant: Tenant;
  before(async () => {
    tenant = await createOrganization();
  });

  const person = () => createSignedInUser(tenant);
  const fill = (somebody: CliUser, { files }: Subject) => {
    for (const [name, { before }] of Object.entries(files)) somebody.write(name, before);
  };
  const connect = async (somebody: CliUser, agent: string, ...more: string[]) => {
    const ran = await somebody.run(["connect", agent, ...(more.length > 0 ? more : QUIET)]);
    expect(ran.code, ran.stderr).to.equal(0);
    return ran.stdout;
  };

  for (const subject of sample(SUBJECTS)) {
    const { agent, files } = subject;
    const names = Object.keys(files);

    it(`${agent}: only shows with --dry-run, writes new files, and removes everything again`, async () => {
      const somebody = await person();
      const shown = await connect(somebody, agent, "--dry-run");
      expect(somebody.files()).to.deep.equal({});
      for (const name of names) expect(shown).to.include(`+ ${somebody.path(name)} (new`);
      await connect(somebody, agent);
      for (const [name, { tools }] of Object.entries(files)) {
        expect(somebody.mode(name), name).to.equal("600");
        if (tools) expect(existsSync(tools(somebody.read(name)).args.at(-1))).to.equal(true);
      }
      await connect(somebody, agent, "--remove");
      expect(somebody.files()).to.deep.equal({});
      expect(somebody.has(`.config/trackway/agents/${agent}`)).to.equal(false);
    });

    it(`${agent}: adds its settings once, however often it runs, and removes them to the byte`, async () => {
      const somebody = await person();
      fill(somebody, subject);
      const before = somebody.files();
      await connect(somebody, agent);
      const once = somebody.files();
      for (const [name, { before: text, kept }] of Object.entries(files)) {
        for (const part of kept) expect(once[name], name).to.include(part);
        expect(once[name], name).not.to.equal(text);
      }
      const kept = JSON.parse(somebody.read(`.config/trackway/agents/${agent}/connection.json`)).files;
      for (const [name, { before: text }] of Object.entries(files))
        expect(kept[somebody.path(name)].before).to.deep.equal({ text, mode: 0o644 });
      expect(await connect(somebody, agent)).to.include("already");
      expect(somebody.files()).to.deep.equal(once);
      await connect(somebody, agent, "--remove");
      expect(somebody.files()).to.deep.equal(before);
      expect((await somebody.run(["connect", agent, "--remove"])).stdout).to.include("was not connected");
    });

    it(`${agent}: refuses a malformed file, and writes nothing`, async () => {
      for (const name of names) {
        const somebody = await person();
        fill(somebody, subject);
        somebody.write(name, files[name]?.malformed ?? "");
        const before = somebody.files();
        const { code, stderr } = await somebody.run(["connect", agent, ...QUIET]);
        expect(code, name).to.equal(1);
        expect(stderr).to.match(/^trackway: [^\n]+ is not valid: [^\n]+\. No changes were written\. try: [^\n]+\n$/);
        expect(stderr).to.include(somebody.path(name));
        expect(somebody.files()).to.deep.equal(before);
      }
    });
  }

  it("removes only Trackway's settings after the agent changed its files", async () => {
    const somebody = await person();
    for (const subject of SUBJECTS.slice(0, 3)) fill(somebody, subject);
    for (const { agent } of SUBJECTS.slice(0, 3)) await connect(somebody, agent);
    const change = (name: string, from: RegExp, to: string) =>
      somebody.write(name, somebody.read(name).replace(from, to));
    change(".claude.json", /"numStartups": ?7/, '"numStartups":8');
    change(".gemini/settings.json", /"Dark"/, '"Light"');
    const project = '\n[projects."/work"]\ntrust_level = "trusted"\n';
    somebody.write(".codex/config.toml", somebody.read(".codex/config.toml") + project);
    for (const { agent } of SUBJECTS.slice(0, 3)) await connect(somebody, agent, "--remove");
    expect(json(somebody.read(".claude.json"))).to.deep.equal({
      numStartups: 8,
      mcpServers: { other: { command: "x" } },
    });
    const gemini = somebody.read(".gemini/settings.json");
    expect(gemini).to.include("// mine\n");
    expect(json(gemini)).to.deep.equal({ ui: { theme: "Light" }, mcpServers: { other: { command: "x" } } });
    const codex = String(SUBJECTS[1]?.files[".codex/config.toml"]?.before);
    expect(somebody.read(".codex/config.toml")).to.equal(codex + project);
  });

  for (const [agent, name, events] of [
    ["claude-code", ".claude/settings.json", 16],
    ["codex", ".codex/config.toml", 9],
    ["gemini-cli", ".gemini/settings.json", 8],
  ] as const)
    it(`${agent}: shows equal hooks once with the names of their events, and every line with --dry-run`, async () => {
      const somebody = await person();
      const whole = await connect(somebody, agent, "--dry-run");
      const short = await connect(somebody, agent);
      const commands = (text: string) => text.split("\n").filter((line) => /command"?[:=\s]+"sh -c /.test(line)).length;
      // Gemini CLI has one hook with a different command.
      const different = agent === "gemini-cli" ? 2 : 1;
      expect([commands(whole), commands(short)]).to.deep.equal([events, different]);
      const written = somebody.read(name);
      const listed = /… the same as (\w+) for (.+) \(--dry-run shows all\)/.exec(short);
      const names = [listed?.[1], ...(listed?.[2]?.split(", ") ?? [])];
      expect(names).to.have.length(events + 1 - different);
      for (const event of names) expect(written).to.match(new RegExp(`"${event}": \\[|\\[\\[hooks\\.${event}\\]\\]`));
      const shown = whole
        .slice(whole.indexOf(`+ ${somebody.path(name)} (new`))
        .split("\n")
        .slice(1);
      const pasted = shown
        .slice(
          0,
          shown.findIndex((line) => !line.startsWith("  + ")),
        )
        .map((line) => line.slice(4));
      const lines = written.split("\n").filter((line) => line.trim() !== "");
      expect(pasted.map(shortKey)).to.deep.equal(lines.map(shortKey));
    });

  it("never shows a key, and stores keys in files that only their owner can read", async () => {
    const somebody = await person();
    let told = "";
    for (const { agent } of SUBJECTS) told += await connect(somebody, agent);
    told += await connect(somebody, "env");
    expect(told).not.to.match(/trk_api_[0-9a-f]{20}|sk_[0-9a-f]{20}/);
    const keys = /trk_api_[0-9a-f]{40}|sk_[0-9a-f]{64}/;
    const holding = Object.entries(somebody.files()).filter(([, text]) => keys.test(text));
    expect(holding.map(([name]) => name)).to.deep.equal([".codex/config.toml", ".qwen/.env"]);
    for (const name of ["claude-code/hook.curl", "claude-code/headers.json", "codex/mcp.env", "env/telemetry.env"])
      expect(somebody.mode(`.config/trackway/agents/${name}`), name).to.equal("600");
    expect(json(somebody.read(".claude/settings.json")).hooks.Stop[0].hooks[0].command).not.to.match(keys);
  });

  it("creates keys named after the agent, reuses them, and deletes them with --remove", async () => {
    const other = await createOrganization();
    const somebody = await createSignedInUser(other);
    const list = async () => {
      const ingest = (await other.rest("GET", "/api/ingest-keys")).body["ingestKeys"] as { name: string }[];
      const personal = (await other.rest("GET", "/api/api-keys")).body["apiKeys"] as { label: string }[];
      return [...ingest.map(({ name }) => name), ...personal.map(({ label }) => label)].filter((name) =>
        name.startsWith("codex on "),
      ).length;
    };
    await connect(somebody, "codex");
    await connect(somebody, "codex");
    expect(await list()).to.equal(2);
    await connect(somebody, "codex", "--remove");
    expect(await list()).to.equal(0);
  });

  it("keeps privacy settings and other variables for telemetry to other servers", async () => {
    const somebody = await person();
    const variables = { OTEL_RESOURCE_ATTRIBUTES: "team=core", OTEL_LOG_USER_PROMPTS: "0" };
    somebody.write(".claude/settings.json", JSON.stringify({ env: variables }));
    expect(await connect(somebody, "claude-code")).to.include("does not change the value of OTEL_LOG_USER_PROMPTS");
    expect(json(somebody.read(".claude/settings.json")).env).to.include({ ...variables, OTEL_LOGS_EXPORTER: "otlp" });
    const chat = (name: string) => `github.copilot.chat.otel.${name}`;
    somebody.write(".config/Code/User/settings.json", JSON.stringify({ [chat("captureContent")]: false }));
    expect(await connect(somebody, "vscode")).to.include(`set ${chat("captureContent")} to false`);
    const set = json(somebody.read(".config/Code/User/settings.json"));
    expect([set[chat("captureContent")], set[chat("enabled")]]).to.deep.equal([false, true]);
  });

  it("refuses a read-only file, and connects once the file is writable", async () => {
    const somebody = await person();
    const name = ".cursor/mcp.json";
    somebody.write(name, THEIRS);
    chmodSync(somebody.path(name), 0o444);
    const { code, stderr } = await somebody.run(["connect", "cursor", ...QUIET]);
    expect([code, stderr.replace(somebody.home, "HOME").replace(somebody.home, "HOME")]).to.deep.equal([
      1,
      "trackway: HOME/.cursor/mcp.json is read-only. No changes were written. try: chmod u+w 'HOME/.cursor/mcp.json', then run the command again\n",
    ]);
    chmodSync(somebody.path(name), 0o644);
    await connect(somebody, "cursor");
    await connect(somebody, "cursor", "--remove");
    expect(somebody.files()).to.deep.equal({ [name]: THEIRS });
  });

  it("needs no ingest key for a dry run, and tells an owner how to log in to create a key", async () => {
    const { run } = createAgentShell(tenant.url, tenant.apiKey);
    expect((await run(["connect", "cursor", "--dry-run"])).code).to.equal(0);
    const { code, stderr } = await run(["connect", "cursor", "--yes"]);
    expect([code, stderr]).to.deep.equal([
      5,
      `trackway: The agent needs an ingest key, and a personal key cannot create an ingest key. try: trackway login ${tenant.url} with your password, or TRACKWAY_INGEST_KEY=sk_... in the environment of the same command\n`,
    ]);
  });

  it("leaves telemetry to other servers alone, and says what is therefore not recorded", async () => {
    const somebody = await person();
    somebody.write(".claude/settings.json", '{ "env": { "OTEL_LOGS_EXPORTER": "console" } }');
    somebody.write(".codex/config.toml", '[otel]\nenvironment = "mine"\n');
    expect(await connect(somebody, "claude-code")).to.include("but no models, tokens or costs");
    expect(json(somebody.read(".claude/settings.json")).env).to.deep.equal({ OTEL_LOGS_EXPORTER: "console" });
    expect(await connect(somebody, "codex")).to.include("but not durations and tokens");
    expect(toml(somebody.read(".codex/config.toml")).otel).to.deep.equal({ environment: "mine" });
  });

  it("opencode: writes a plugin without a key, and restores an earlier file of that name", async () => {
    const somebody = await person();
    const path = ".config/opencode/plugins/trackway.js";
    somebody.write(path, "// mine\n");
    await connect(somebody, "opencode");
    expect(somebody.read(path))
      .to.include("hook.curl")
      .and.not.to.match(/sk_|%COMMAND%|mine/);
    await connect(somebody, "opencode", "--remove");
    expect(somebody.read(path)).to.equal("// mine\n");
  });

  it("restores an entry of its name that the user had written", async () => {
    const somebody = await person();
    const mine = '{ "mcpServers": { "trackway": { "type": "http", "url": "http://127.0.0.1:4100/mcp" } } }';
    somebody.write(".claude.json", mine);
    await connect(somebody, "claude-code");
    expect(servers(somebody.read(".claude.json"))).to.include({ type: "stdio" });
    await connect(somebody, "claude-code", "--remove");
    expect(somebody.read(".claude.json")).to.equal(mine);
  });

  it("writes through a symbolic link, and keeps the link", async () => {
    const somebody = await person();
    somebody.write("dotfiles/settings.json", '{ "model": "opus" }\n');
    mkdirSync(somebody.path(".claude"));
    symlinkSync(somebody.path("dotfiles/settings.json"), somebody.path(".claude/settings.json"));
    await connect(somebody, "claude-code");
    expect(lstatSync(somebody.path(".claude/settings.json")).isSymbolicLink()).to.equal(true);
    expect(somebody.read("dotfiles/settings.json")).to.include("SessionStart");
    await connect(somebody, "claude-code", "--remove");
    expect(somebody.read("dotfiles/settings.json")).to.equal('{ "model": "opus" }\n');
  });

  it("asks before it writes, and says how to confirm without a terminal", async () => {
    const somebody = await person();
    const { code, stderr } = await somebody.run(["connect", "cursor"]);
    expect([code, stderr]).to.deep.equal([
      2,
      "trackway: This command asks a question, but there is no terminal for the answer. try: run the command again with --yes\n",
    ]);
    expect(somebody.files()).to.deep.equal({});
  });
});
