import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { parse } from "jsonc-parser";
import { getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import type { Agent, AgentConnection } from "../../../cli/connect/agent.ts";
import { AGENTS } from "../../../cli/connect/agents/agents.ts";
import { planChanges } from "../../../cli/connect/changes/plan.ts";
import { disconnectAgent, writeConnection } from "../../../cli/connect/connect.ts";
import { CommandFailure } from "../../../cli/failure.ts";
import { readUserEnvironment } from "../../../cli/files/places.ts";

/** State of an agent's file in a user's home folder. */
interface Lying {
  as: "absent" | "file" | "absolute link" | "relative link" | "dangling link";
  text: string;
  mode: number;
  /** True if the folder exists without the file. */
  folder: boolean;
  /** True if another user owns the file, for example because root runs the command. */
  foreign: boolean;
}

const OTHER = { hooks: [{ type: "command", command: "say done" }] };
const SERVER = { command: "x", args: ["--flag"] };
const CHAT = "github.copilot.chat.otel.";

/** Settings that a user may have, also in the places where Trackway's settings belong. */
const settings = fc.record(
  {
    model: fc.constant("opus"),
    hooks: fc.constantFrom({}, { Stop: [] }, { Stop: [OTHER], Other: [OTHER] }, { AfterAgent: [OTHER] }),
    mcpServers: fc.constantFrom({}, { other: SERVER }, { trackway: SERVER, other: SERVER }),
    servers: fc.constantFrom({}, { other: SERVER }, { trackway: SERVER }),
    env: fc.record(
      {
        A: fc.constant("b"),
        OTEL_RESOURCE_ATTRIBUTES: fc.constant("team=core"),
        OTEL_LOG_USER_PROMPTS: fc.constantFrom("0", "1"),
        CLAUDE_CODE_ENABLE_TELEMETRY: fc.constantFrom("0", "1"),
        OTEL_LOGS_EXPORTER: fc.constantFrom("console", "otlp"),
        OTEL_EXPORTER_OTLP_ENDPOINT: fc.constant("http://127.0.0.1:9"),
      },
      { requiredKeys: [] },
    ),
    otelHeadersHelper: fc.constant("cat mine"),
    [`${CHAT}enabled`]: fc.boolean(),
    [`${CHAT}captureContent`]: fc.boolean(),
    [`${CHAT}exporterType`]: fc.constantFrom("console", "otlp-http"),
    [`${CHAT}otlpEndpoint`]: fc.constantFrom("http://127.0.0.1:9", "http://127.0.0.1:4000"),
    key: fc.constant(`sk_${"1".repeat(64)}`),
  },
  { requiredKeys: [] },
);

const json = fc
  .record({ settings, indent: fc.constantFrom("", "  ", "\t", "    "), eol: fc.constantFrom("\n", "\r\n") })
  .chain(({ settings: value, indent, eol }) => {
    const plain = JSON.stringify(value, null, indent).replaceAll("\n", eol);
    const commented = plain.replaceAll("{", `{ // mine${eol}`);
    return fc.constantFrom(plain, `${plain}${eol}`, plain, `\uFEFF${plain}`, commented, "", "{}", "[]", "{ broken");
  });

const toml = fc
  .record({
    pieces: fc.uniqueArray(
      fc.constantFrom(
        "[otel]\nlog_user_prompt = false\n",
        '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "say done"\n',
        '[mcp_servers.other]\ncommand = "x"\n',
        '[mcp_servers.trackway]\ncommand = "mine" # by hand\n',
        '# alone\n\n\n[a]\nb = """\n[otel]\n"""\n',
      ),
    ),
    eol: fc.constantFrom("\n", "\r\n"),
    end: fc.constantFrom("", "# the end", "\n\n"),
  })
  .chain(({ pieces, eol, end }) => {
    const text = `model = "x" # why\n${pieces.join("\n")}${end}`.replaceAll("\n", eol);
    return fc.constantFrom(text, text, "", 'model = "x\n');
  });

const dotenv = fc.constantFrom("", "A=1\n", "A=1", "export OTEL_BSP_EXPORT_TIMEOUT=9\r\nB=2\r\n");

const lying = (path: string): fc.Arbitrary<Lying> =>
  fc.record({
    as: fc.constantFrom<Lying["as"]>("file", "file", "absent", "absolute link", "relative link", "dangling link"),
    text: path.endsWith(".toml") ? toml : path.endsWith(".env") ? dotenv : json,
    mode: fc.constantFrom(0o600, 0o644, 0o644, 0o640, 0o444),
    folder: fc.boolean(),
    foreign: fc.boolean(),
  });

function lay(path: string, { as, text, mode, folder, foreign }: Lying, elsewhere: string): void {
  if (as === "absent" && !folder) return;
  mkdirSync(dirname(path), { recursive: true });
  if (as === "absent") return;
  const target = as === "file" ? path : join(elsewhere, path.replaceAll("/", "-"));
  if (as !== "file") symlinkSync(as === "relative link" ? relative(dirname(path), target) : target, path);
  if (as === "dangling link") return;
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
  chmodSync(target, mode);
  if (foreign && process.getuid?.() === 0) chownSync(target, 4321, 4321);
}

/** Describes everything in a folder except Trackway's own files: type, permissions, owner, link target and content. */
function snapshot(root: string): Record<string, unknown> {
  const entries = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (name) => !/\.config.trackway/.test(name),
  );
  return Object.fromEntries(
    entries.sort().map((name) => {
      const path = join(root, name);
      const found = lstatSync(path);
      if (found.isSymbolicLink()) return [name, readlinkSync(path)];
      const content = found.isDirectory() ? "folder" : readFileSync(path).toString("latin1");
      return [name, [content, (found.mode & 0o777).toString(8), found.uid, found.gid]];
    }),
  );
}

/** Runs some work while hiding the output of the command from the test's report. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { write: original } = process.stdout;
  process.stdout.write = () => true;
  try {
    return await work();
  } finally {
    process.stdout.write = original;
  }
}

const keys = { ingestKey: `sk_${"a".repeat(64)}`, apiKey: `trk_api_${"b".repeat(40)}` };
const connectionIn = (home: string): AgentConnection => ({
  places: readUserEnvironment({ HOME: home }),
  url: "http://127.0.0.1:4000",
  ...keys,
});
/** Lists an agent's files relative to the home folder. */
const filesOf = (agent: Agent) => agent.files(connectionIn("/home")).map(({ path }) => relative("/home", path));
const connected = (agent: Agent, connection: AgentConnection) =>
  quietly(() => writeConnection(agent, connection, { url: connection.url, files: {} }));

describe("connecting and disconnecting an agent in any home folder", () => {
  /** Creates random home folders and runs a check in each. Skips the check if a file correctly stops the command. */
  const inHome = (agent: Agent, check: (home: string, connection: AgentConnection, before: object) => Promise<void>) =>
    fc.assert(
      fc.asyncProperty(fc.tuple(...filesOf(agent).map((path) => lying(path))), async (all) => {
        const root = mkdtempSync(join(tmpdir(), "trackway-home-"));
        const home = join(root, "home");
        mkdirSync(join(home, ".config"), { recursive: true });
        for (const [at, path] of filesOf(agent).entries())
          lay(join(home, path), all[at] as Lying, join(root, "dotfiles"));
        const before = snapshot(root);
        const connection = connectionIn(home);
        const refusal = await planChanges(agent, connection).catch((error) => error);
        expect(snapshot(root), "a dry run writes nothing").to.deep.equal(before);
        if (refusal instanceof Error) {
          expect(refusal).to.be.instanceOf(CommandFailure);
          expect(refusal.message).to.match(/^\S+ is (not valid: .+|read-only)\. No changes were written\.$/s);
        } else await check(root, connection, before);
        rmSync(root, { recursive: true });
      }),
      { numRuns: 25, endOnFailure: true },
    );

  for (const agent of AGENTS) {
    it(`leaves all files of ${agent.name} as they were, even when connected twice`, () =>
      inHome(agent, async (root, connection, before) => {
        await connected(agent, connection);
        const once = snapshot(root);
        for (const [name, is] of Object.entries(once)) {
          const was = (before as typeof once)[name];
          if (typeof was === "string") expect(is, "links stay").to.equal(was);
          else if (String(is).includes(keys.ingestKey))
            expect(String((is as string[])[1]), `${name} holds a key`).to.match(/00$/);
          else if (was)
            expect((is as unknown[]).slice(1), `rights and owner of ${name}`).to.deep.equal(
              (was as unknown[]).slice(1),
            );
        }
        await connected(agent, connection);
        expect(snapshot(root), "twice is once").to.deep.equal(once);
        await quietly(() => disconnectAgent(agent, connection.places));
        expect(snapshot(root), "taken back").to.deep.equal(before);
      }));

    it(`keeps changes made to ${agent.name}'s files in between`, () =>
      inHome(agent, async (root, connection) => {
        const was = new Map(filesOf(agent).map((path) => [path, textAt(join(root, "home", path)) ?? ""]));
        await connected(agent, connection);
        const changed: string[] = [];
        for (const path of filesOf(agent)) {
          const full = join(root, "home", path);
          const text = textAt(full);
          // A plugin is entirely Trackway's file, so user changes in the file are removed with the file.
          if (/\.(env|js)$/.test(path) || text === undefined || text.trim() === "") continue;
          changed.push(path);
          const [head, ...rest] = text.split(/(?<=\{)/);
          writeFileSync(
            full,
            path.endsWith(".toml")
              ? `${text}\n[added]\nx = 1\n`
              : `${head}"added":${rest.length > 0 && rest.join("").trim() !== "}" ? '{"x":1},' : '{"x":1}'}${rest.join("")}`,
          );
        }
        await connected(agent, connection);
        await quietly(() => disconnectAgent(agent, connection.places));
        for (const path of changed) {
          const left = meaningOf(path, textAt(join(root, "home", path)) ?? "");
          expect(left).to.deep.equal({ ...Object(meaningOf(path, was.get(path) ?? "")), added: { x: 1 } });
        }
      }));
  }
});

const textAt = (path: string) => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
};
const meaningOf = (path: string, text: string): unknown =>
  path.endsWith(".toml") ? getStaticTOMLValue(parseTOML(text)) : parse(text.replace("\uFEFF", ""));
