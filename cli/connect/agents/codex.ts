import { join } from "node:path";
import type { Places } from "../../files/places.ts";
import {
  appendTables,
  listTables,
  readToml,
  removeTables,
  type TomlTable,
  textOfTables,
  tomlString,
} from "../../files/toml.ts";
import type { Agent, AgentFile, Connection } from "../agent.ts";
import { fuseCommand, fuseFiles, hookCommand, hookFile, isHookCommand } from "../parts/hook.ts";
import { addBlock, DEADLINES, removeBlock } from "../parts/telemetry-env.ts";
import { isToolServer, SERVER, toolFile, toolServer } from "../parts/tools.ts";
import { checkTrust, settleTrust } from "./codex-trust.ts";

const NAME = "codex";
const EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PermissionRequest",
  "SubagentStart",
  "SubagentStop",
  "Stop",
  "SessionEnd",
];

const folder = ({ env, home }: Places) => env["CODEX_HOME"] || join(home, ".codex");
/** Its settings. */
const codexConfig = (places: Places) => join(folder(places), "config.toml");

/** A header that marks telemetry as ours. */
const MARK = "x-trackway-agent";

/** True if its telemetry is ours to set: it goes nowhere yet, or to us. */
const isFree = (text: string, path: string): boolean => {
  const otel = readToml(text, path)["otel"];
  return otel === undefined || JSON.stringify(otel).includes(`"${MARK}"`);
};

function block(connection: Connection, withTelemetry: boolean): string {
  const { command, args } = toolServer(connection, NAME);
  const hooks = EVENTS.map((event) => hookTable(event, hookCommand(connection.places, NAME), 3));
  const fuse = connection.fuse ? [hookTable("PreToolUse", fuseCommand(connection.places, NAME), 1)] : [];
  const tools = `[mcp_servers.${SERVER}]\ncommand = ${tomlString(command)}\nargs = [${args.map(tomlString).join(", ")}]\n`;
  return [tools, ...(withTelemetry ? [telemetry(connection)] : []), ...hooks, ...fuse].join("\n");
}

const hookTable = (event: string, command: string, timeout: number): string =>
  `[[hooks.${event}]]\n[[hooks.${event}.hooks]]\ntype = "command"\ncommand = ${tomlString(command)}\ntimeout = ${timeout}\n`;

/**
 * Durations, model and tokens are in its log records alone. Of its spans, some 740 a turn, one counts; but without them
 * the records name no trace, and the prompt's record would not find its turn.
 */
const telemetry = (connection: Connection): string => `[otel]
log_user_prompt = true
log_agent_responses = true
${exporter(connection, "exporter", "logs")}${exporter(connection, "trace_exporter", "traces")}`;

const exporter = ({ url, ingestKey }: Connection, name: string, signal: string): string => `[otel.${name}.otlp-http]
endpoint = ${tomlString(`${url}/v1/${signal}`)}
protocol = "binary"
[otel.${name}.otlp-http.headers]
x-api-key = ${tomlString(ingestKey)}
${MARK} = "${NAME}"
`;

/** Tells our tables from all others of a text: a matcher is ours when all of its commands are. */
function oursIn(places: Places, text: string): (table: TomlTable) => boolean {
  const tables = listTables(text);
  const isOurs = ({ key, value }: TomlTable) =>
    key[0] === "hooks" && key[3] === "hooks" && isHookCommand(places, NAME, value["command"]);
  const under = (matcher: TomlTable) =>
    tables.filter(({ key }) => key.length > 3 && matcher.key.every((part, at) => key[at] === part));
  const isMatcher = (table: TomlTable) => {
    const commands = under(table);
    return table.key[0] === "hooks" && table.key.length === 3 && commands.length > 0 && commands.every(isOurs);
  };
  const trusted = new Set(tables.filter(isOurs).map(({ key }) => trustKey(places, key)));
  const telemetry = isFree(text, "");
  const isTools = isToolServer(places, NAME, toolsOf(text));
  return (table) =>
    isOurs(table) ||
    isMatcher(table) ||
    (table.key[0] === "mcp_servers" && table.key[1] === SERVER && isTools) ||
    (table.key[0] === "otel" && telemetry) ||
    (table.key[0] === "hooks" && table.key[1] === "state" && trusted.has(String(table.key[2])));
}

const toolsOf = (text: string): unknown =>
  (readToml(text, "")["mcp_servers"] as Record<string, unknown> | undefined)?.[SERVER];

/** The name under which Codex keeps whether a hook is trusted. */
const trustKey = (places: Places, [, event, matcher, , at]: TomlTable["key"]): string =>
  `${codexConfig(places)}:${String(event)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_")
    .toLowerCase()}:${matcher}:${at}`;

const isServer = ({ key }: TomlTable) => key[0] === "mcp_servers" && key[1] === SERVER;

function settings(connection: Connection): AgentFile {
  const { places } = connection;
  const path = codexConfig(places);
  const add = (bare: string) => {
    const free = isFree(bare, path);
    // An entry of the same name that somebody made by hand gives way.
    const wanted = appendTables(removeTables(bare, isServer), block(connection, free));
    readToml(wanted, path);
    return wanted;
  };
  return {
    path,
    add,
    has: (text, bare) => isSame(text, add(bare), places),
    remove(text, before = "") {
      readToml(text, path);
      const without = removeTables(text, oursIn(places, text));
      const theirs = listTables(without).some(isServer) ? "" : textOfTables(before, isServer);
      return theirs === "" ? without : appendTables(without, theirs);
    },
  };
}

/** True if two texts hold the same of ours, wherever it stands. What Codex keeps about trust is not compared. */
function isSame(text: string, wanted: string, places: Places): boolean {
  const mine = (of: string) => {
    const ours = oursIn(places, of);
    const tables = listTables(of).filter((table) => ours(table) && table.key[1] !== "state");
    return JSON.stringify(tables.map(({ key, value }) => [key.filter((part) => typeof part === "string"), value]));
  };
  return mine(text) === mine(wanted);
}

const OTHER_TELEMETRY =
  "Its [otel] settings are there already and are left alone: turns and tools are recorded, durations and tokens are not.";

const isOurHook = (places: Places) => (command: unknown) => isHookCommand(places, NAME, command);

/** Codex: hooks report turns and tools, log records report durations and tokens. */
export const codex: Agent = {
  name: NAME,
  title: "Codex CLI",
  program: "codex",
  records: "hooks",
  stops: true,
  own: (connection) => [hookFile(connection, codex), ...fuseFiles(connection, codex), toolFile(connection, NAME)],
  files: (connection) => [
    settings(connection),
    {
      path: join(folder(connection.places), ".env"),
      add: (bare) => addBlock(bare, NAME, DEADLINES),
      has: (text, bare) => text.includes(addBlock(bare, NAME, DEADLINES).slice(bare.length)),
      remove: (text) => removeBlock(text, NAME),
    },
  ],
  notes: ({ places }, texts) => [
    "Codex runs a hook only once it is trusted: where Codex is installed, it is made to trust these.",
    ...(isFree(texts.get(codexConfig(places)) ?? "", codexConfig(places)) ? [] : [OTHER_TELEMETRY]),
  ],
  settle: ({ places }) => settleTrust(places, codexConfig(places), isOurHook(places)),
  check: (places) => checkTrust(places, isOurHook(places)),
};
