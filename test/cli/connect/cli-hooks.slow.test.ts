import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import { stopLeasesAtLimits } from "../../../server/jobs/leases.ts";
import { type CliUser, createSignedInUser } from "../../support/cli/cli.ts";
import { postOtlp } from "../../support/recording/otlp.ts";
import { buildSpansRequest } from "../../support/recording/telemetry.ts";
import { createOrganization, startSharedServer, type Tenant } from "../../support/server.ts";
import { moveLeaseTimes } from "../../support/tracker/work.ts";
import { createWorkspace } from "../../support/workspace.ts";

const SHELLS = ["sh", "bash", "zsh", "fish"].filter((shell) => spawnSync(shell, ["-c", "true"]).status === 0);
/**
 * Much longer than starting a background process takes, and much shorter than waiting for a server that does not
 * respond.
 */
const AT_ONCE_MS = 5_000;

/** Returns the hook command that `connect` wrote for an event of an agent. */
const hookOf = (person: CliUser, agent: string): string =>
  agent === "codex"
    ? (getStaticTOMLValue(parseTOML(person.read(".codex/config.toml"))) as any).hooks.Stop[0].hooks[0].command
    : JSON.parse(person.read(agent === "claude-code" ? ".claude/settings.json" : ".gemini/settings.json")).hooks[
        agent === "claude-code" ? "Stop" : "AfterAgent"
      ][0].hooks[0].command;

/**
 * Agents with a hook that asks whether to stop: the command in the agent's settings, and the reason in the decision.
 */
const FUSES: Record<string, { settings: string; command(text: string): string; reasonIn(decision: any): string }> = {
  "claude-code": {
    settings: ".claude/settings.json",
    command: (text) => JSON.parse(text).hooks.PreToolUse[0].hooks[1].command,
    reasonIn: (decision) => (decision.continue === false ? decision.stopReason : ""),
  },
  codex: {
    settings: ".codex/config.toml",
    command: (text) => (getStaticTOMLValue(parseTOML(text)) as any).hooks.PreToolUse[1].hooks[0].command,
    reasonIn: ({ hookSpecificOutput: { permissionDecision, permissionDecisionReason } }) =>
      permissionDecision === "deny" ? permissionDecisionReason : "",
  },
};

async function connected(tenant: Tenant, agent: string): Promise<CliUser> {
  const person = await createSignedInUser(tenant);
  const { code, stderr } = await person.run(["connect", agent, "--yes", "--no-probe"]);
  expect(code, stderr).to.equal(0);
  return person;
}

const shown = async ({ gql }: Tenant, id: string): Promise<any> =>
  (await gql(`{ recordedSession(id: "${id}") { events(first: 10) { nodes { primitiveName args result } } } }`))
    .recordedSession.events.nodes;

describe("files that trackway connect writes", () => {
  for (const agent of ["claude-code", "codex", "gemini-cli", "copilot", "cursor", "env"]) {
    it(`send a test session from ${agent}, and the output has its URL`, async () => {
      const tenant = await createOrganization();
      const person = await createSignedInUser(tenant);
      const { code, stdout, stderr } = await person.run(["connect", agent, "--yes"]);
      expect(code, stderr).to.equal(0);
      const [, url, id = ""] = /See the test session at (\S+)\/sessions\/(\S+)\n$/.exec(stdout) ?? [];
      expect(url).to.equal(tenant.url);
      const [event] = await shown(tenant, id);
      expect(event).to.deep.include({ primitiveName: agent, args: "trackway connect: does this arrive?" });
    });
  }

  for (const [agent, { command, reasonIn, settings }] of Object.entries(FUSES)) {
    it(`with --fuse contain a hook that stops ${agent} at a limit of its claim, and never otherwise`, async () => {
      const space = await createWorkspace();
      const person = await createSignedInUser(space);
      const { code, stderr } = await person.run(["connect", agent, "--yes", "--no-probe", "--fuse"]);
      expect(code, stderr).to.equal(0);
      const fuse = command(person.read(settings));
      const session = randomUUID();
      // The server runs in this process, so the call must not block.
      const asked = async (input: string) => {
        const begun = performance.now();
        const child = spawn("sh", ["-c", fuse]);
        child.stdin.end(input);
        const [stdout, stderr, [status]] = await Promise.all([
          text(child.stdout),
          text(child.stderr),
          once(child, "close"),
        ]);
        expect([status, stderr]).to.deep.equal([0, ""]);
        expect(performance.now() - begun).to.be.below(AT_ONCE_MS);
        return stdout;
      };
      const call = JSON.stringify({
        hook_event_name: "PreToolUse",
        session_id: session,
        tool_name: "Bash",
        tool_input: {},
      });
      const { id } = await space.issue();
      await space.does("issueClaim", { input: { id, sessionId: session, minuteLimit: 1 } });
      for (const input of [call, "{}", "no JSON", ""]) expect(await asked(input)).to.equal("");
      await moveLeaseTimes(id, 60);
      await stopLeasesAtLimits((await startSharedServer()).runtime);
      // On a busy machine the request may take longer than the agent waits.
      let decision = "";
      for (let tries = 0; decision === "" && tries < 50; tries += 1) decision = await asked(call);
      expect(reasonIn(JSON.parse(decision))).to.contain("reached its limit of minutes");
      expect(await asked(call.replace(session, randomUUID()))).to.equal("");
      const file = `.config/trackway/agents/${agent}/fuse.curl`;
      person.write(file, person.read(file).replace(space.url, "http://127.0.0.1:9"));
      expect(await asked(call)).to.equal("");
      expect((await person.run(["connect", agent, "--remove"])).code).to.equal(0);
      expect([person.has(file), person.has(settings)]).to.deep.equal([false, false]);
    });
  }

  it("with --fuse are refused for an agent without a hook that can stop it", async () => {
    const person = await createSignedInUser(await createOrganization());
    expect((await person.run(["connect", "gemini-cli", "--yes", "--fuse"])).stderr).to.contain(
      "no hook that can stop the agent",
    );
  });

  it("with --fuse contain a plugin that refuses opencode's calls at a limit of its claim, only in that session", async () => {
    const space = await createWorkspace();
    const person = await createSignedInUser(space);
    expect((await person.run(["connect", "opencode", "--yes", "--no-probe", "--fuse"])).code).to.equal(0);
    const plugin = person.path(".config/opencode/plugins/trackway.js");
    // Runs in a separate process: the plugin waits for the server, which runs in this process.
    const script = `import(${JSON.stringify(plugin)}).then(async ({ Trackway }) => {
      const tui = { showToast: async ({ body }) => console.log("shows", body.message) };
      const client = { session: { abort: async ({ path }) => console.log("ends", path.id) }, tui };
      const { event, "tool.execute.before": before } = await Trackway({ directory: "/", client });
      const sessionID = process.argv[1];
      await before({ sessionID }).then(() => console.log("goes on"), ({ message }) => console.log(message));
      const part = { type: "tool", sessionID, state: { status: "error" } };
      await event({ event: { type: "message.part.updated", properties: { part } } });
    })`;
    const calls = async (session: string) => {
      const child = spawn(process.execPath, ["--input-type=module", "-e", script, session]);
      return (await text(child.stdout)).trim();
    };
    const { id } = await space.issue();
    await space.does("issueClaim", { input: { id, sessionId: "ses_1", minuteLimit: 1 } });
    expect(await calls("ses_1")).to.equal("goes on");
    await moveLeaseTimes(id, 60);
    await stopLeasesAtLimits((await startSharedServer()).runtime);
    let answer = "goes on";
    for (let tries = 0; answer === "goes on" && tries < 20; tries += 1) answer = await calls("ses_1");
    expect(answer).to.match(/^shows (.*reached its limit of minutes.*)\n\1\nends ses_1$/);
    expect(await calls("ses_2")).to.equal("goes on");
    expect((await person.run(["connect", "opencode", "--remove"])).code).to.equal(0);
    expect([person.has(".config/trackway/agents/opencode/fuse.curl"), existsSync(plugin)]).to.deep.equal([
      false,
      false,
    ]);
  });

  for (const agent of ["claude-code", "codex", "gemini-cli"]) {
    it(`contain a hook of ${agent} that never waits or prints, in any shell, for any response of the server`, async () => {
      const tenant = await createOrganization();
      const person = await connected(tenant, agent);
      const file = `.config/trackway/agents/${agent}/hook.curl`;
      const right = person.read(file);
      const silent = createServer((socket: Socket) => void socket.on("error", () => {})).listen(0, "127.0.0.1");
      await once(silent, "listening");
      const { port } = silent.address() as AddressInfo;
      const texts = {
        well: right,
        down: right.replace(tenant.url, "http://127.0.0.1:9"),
        slow: right.replace(tenant.url, `http://127.0.0.1:${port}`),
        refused: right.replace(/sk_\w+/, `sk_${"0".repeat(64)}`),
        gone: undefined,
      };
      for (const [state, text] of Object.entries(texts)) {
        if (text === undefined) rmSync(person.path(file));
        else person.write(file, text);
        for (const shell of SHELLS) {
          const begun = performance.now();
          const ran = spawnSync(shell, ["-c", hookOf(person, agent)], {
            input: JSON.stringify({ hook_event_name: "Notification", session_id: "x", text: "y".repeat(1_000_000) }),
            encoding: "utf8",
          });
          expect([ran.status, ran.stdout, ran.stderr], `${shell}, ${state}`).to.deep.equal([0, "", ""]);
          expect(performance.now() - begun, `${shell}, ${state}`).to.be.below(AT_ONCE_MS);
        }
      }
      silent.close();
    });
  }

  it("show no key in the process list while a hook runs", async () => {
    const tenant = await createOrganization();
    const person = await connected(tenant, "claude-code");
    expect(hookOf(person, "claude-code")).not.to.match(/sk_|trk_api_/);
    const { ingestKey } = tenant;
    const silent = createServer((socket) => void socket.on("error", () => {})).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const file = ".config/trackway/agents/claude-code/hook.curl";
    person.write(
      file,
      person.read(file).replace(tenant.url, `http://127.0.0.1:${(silent.address() as AddressInfo).port}`),
    );
    const arrived = once(silent, "connection");
    spawnSync("sh", ["-c", hookOf(person, "claude-code")], { input: "{}" });
    await arrived;
    const processes = spawnSync("ps", ["axww", "-o", "args"], { encoding: "utf8" }).stdout;
    expect(processes)
      .to.include(person.path(file))
      .and.not.to.match(/sk_[0-9a-f]{64}/);
    expect(processes).not.to.include(ingestKey);
    silent.close();
  });
});

describe("the plugin for Claude Code", () => {
  const folder = "plugins/trackway";
  const { hooks } = JSON.parse(readFileSync(`${folder}/hooks/claude-code.json`, "utf8"));

  it("handles the same events as trackway connect", async () => {
    const person = await connected(await createOrganization(), "claude-code");
    expect(Object.keys(hooks)).to.deep.equal(Object.keys(JSON.parse(person.read(".claude/settings.json")).hooks));
  });

  it("records with the key of the environment, or of trackway connect", async () => {
    const tenant = await createOrganization();
    const person = await connected(tenant, "claude-code");
    const { HOME, PATH } = { HOME: person.home, PATH: process.env["PATH"] };
    const given = { TRACKWAY_URL: tenant.url, TRACKWAY_INGEST_KEY: tenant.ingestKey };
    for (const env of [
      { HOME, PATH },
      { HOME: "/nowhere", PATH, ...given },
    ]) {
      const id = randomUUID();
      const event = { hook_event_name: "UserPromptSubmit", session_id: id, prompt_id: randomUUID(), prompt: "Hello?" };
      const ran = spawnSync("sh", ["-c", hooks.UserPromptSubmit[0].hooks[0].command], {
        env: { ...env, CLAUDE_PLUGIN_ROOT: folder },
        input: JSON.stringify(event),
        encoding: "utf8",
      });
      expect([ran.status, ran.stdout, ran.stderr]).to.deep.equal([0, "", ""]);
      const [turn] = await arrived(() => shown(tenant, id));
      expect(turn).to.deep.include({ primitiveName: "claude-code", args: "Hello?" });
    }
  });

  it("prints nothing without a key", () => {
    const command = hooks.Stop[0].hooks[0].command;
    const env = { HOME: "/nowhere", PATH: process.env["PATH"], CLAUDE_PLUGIN_ROOT: folder };
    const ran = spawnSync("sh", ["-c", command], { env, input: "{}", encoding: "utf8" });
    expect([ran.status, ran.stdout, ran.stderr]).to.deep.equal([0, "", ""]);
  });
});

/** Waits for events that a background process sends. */
async function arrived<T>(look: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < 100; tries++) {
    const found = await look().catch(() => undefined);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return look();
}

describe("trackway doctor", () => {
  it("lists connected agents, and faults with their fixes", async () => {
    const tenant = await createOrganization();
    const person = await connected(tenant, "claude-code");
    const doctor = async (env: Record<string, string> = {}) => {
      const { code, stdout } = await person.run(["doctor"], { env });
      return { code, line: stdout.split("\n").find((line) => /claude-code/.test(line)), stdout };
    };
    const well = await doctor();
    expect(well.code).to.equal(0);
    expect(well.stdout)
      .to.match(/^ok {3}server: Trackway .*\nok {3}login: Olive Owner .*\n/)
      .and.to.include("codex: not connected");
    expect(well.line).to.equal(`ok   claude-code: connected to ${tenant.url}`);

    const spans = [1, 2].map((id) => ({ id, name: "GET /" }));
    const key = tenant.ingestKey;
    await postOtlp({ url: tenant.url, key }, "/v1/traces", Buffer.from(JSON.stringify(buildSpansRequest(spans))));
    const untold = (await doctor()).stdout;
    expect(untold).to.include(
      "FAIL telemetry: 2 spans of service demo told nothing but their names. try: use a convention",
    );

    const hook = ".config/trackway/agents/claude-code/hook.curl";
    const settings = person.read(".claude/settings.json");
    const cases: [() => void, RegExp][] = [
      [() => chmodSync(person.path(hook), 0o644), /other users of this machine can read the file\. try: chmod 600/],
      [() => rmSync(person.path(hook)), /is missing\. try: trackway connect claude-code/],
      [
        () => person.write(".claude/settings.json", "{}"),
        /the configuration has changed since the connection\. try: trackway connect claude-code/,
      ],
    ];
    for (const [harm, line] of cases) {
      const text = person.read(hook);
      harm();
      const ill = await doctor();
      expect([ill.code, ill.line]).to.deep.equal([1, ill.line?.match(/^FAIL claude-code: .*/)?.[0]]);
      expect(ill.line).to.match(line);
      person.write(hook, text);
      chmodSync(person.path(hook), 0o600);
      person.write(".claude/settings.json", settings);
    }
    const keys = (await tenant.rest("GET", "/api/ingest-keys")).body["ingestKeys"] as { id: string; name: string }[];
    const mine = keys.find(({ name }) => name.startsWith("claude-code on "));
    await tenant.rest("DELETE", `/api/ingest-keys/${mine?.id}`);
    expect((await doctor()).line).to.match(/^FAIL claude-code: .*key/);
    expect(existsSync(person.path(hook))).to.equal(true);
  });
});
