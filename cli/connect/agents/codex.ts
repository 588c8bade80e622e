import { join } from "node:path";
import type { UserEnvironment } from "../../files/places.ts";
import {
  appendTables,
  extractTables,
  listTables,
  parseTomlConfig,
  removeTables,
  type TomlTable,
  toTomlString,
} from "../../files/toml.ts";
import type { Agent, AgentConfigFile, AgentConnection } from "../agent.ts";
import { buildFuseCommand, buildFuseFiles, buildHookCommand, buildHookFile, isHookCommand } from "../parts/hook.ts";
import { addVariableBlock, OTEL_EXPORT_TIMEOUT_VARIABLES, removeVariableBlock } from "../parts/telemetry-env.ts";
import { buildMcpEnvFile, buildMcpServerCommand, isTrackwayMcpServerEntry, MCP_SERVER_NAME } from "../parts/tools.ts";
import { checkHookTrust, trustHooks } from "./codex-trust.ts";

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

const folder = ({ env, home }: UserEnvironment) => env["CODEX_HOME"] || join(home, ".codex");
const codexConfig = (places: UserEnvironment) => join(folder(places), "config.toml");

/** Header that marks the telemetry settings of this command. */
const MARK = "x-trackway-agent";

/**
 * Returns true if `trackway connect` may set the telemetry: Codex has no telemetry settings, or `trackway connect`
 * wrote the telemetry settings.
 */
const isFree = (text: string, path: string): boolean => {
  const otel = parseTomlConfig(text, path)["otel"];
  return otel === undefined || JSON.stringify(otel).includes(`"${MARK}"`);
};

function block(connection: AgentConnection, withTelemetry: boolean): string {
  const { command, args } = buildMcpServerCommand(connection, NAME);
  const hooks = EVENTS.map((event) => hookTable(event, buildHookCommand(connection.places, NAME), 3));
  const fuse = connection.fuse ? [hookTable("PreToolUse", buildFuseCommand(connection.places, NAME), 1)] : [];
  const tools = `[mcp_servers.${MCP_SERVER_NAME}]\ncommand = ${toTomlString(command)}\nargs = [${args.map(toTomlString).join(", ")}]\n`;
  return [tools, ...(withTelemetry ? [telemetry(connection)] : []), ...hooks, ...fuse].join("\n");
}

const hookTable = (event: string, command: string, timeout: number): string =>
  `[[hooks.${event}]]\n[[hooks.${event}.hooks]]\ntype = "command"\ncommand = ${toTomlString(command)}\ntimeout = ${timeout}\n`;

/**
 * Returns the telemetry settings. Only log records contain durations, model and tokens. Trackway uses only one of about
 * 740 spans per turn, but the spans must be enabled: without spans, the log records contain no trace id, so the record
 * of the prompt could not be assigned to its turn.
 */
const telemetry = (connection: AgentConnection): string => `[otel]
log_user_prompt = true
log_agent_responses = true
${exporter(connection, "exporter", "logs")}${exporter(connection, "trace_exporter", "traces")}`;

const exporter = (
  { url, ingestKey }: AgentConnection,
  name: string,
  signal: string,
): string => `[otel.${name}.otlp-http]
endpoint = ${toTomlString(`${url}/v1/${signal}`)}
protocol = "binary"
[otel.${name}.otlp-http.headers]
x-api-key = ${toTomlString(ingestKey)}
${MARK} = "${NAME}"
`;

/**
 * Returns a function that reports whether this command wrote a given table of the text. A table for a hook event counts
 * as written by this command if this command wrote all hooks in the table.
 */
function oursIn(places: UserEnvironment, text: string): (table: TomlTable) => boolean {
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
  const isTools = isTrackwayMcpServerEntry(places, NAME, toolsOf(text));
  return (table) =>
    isOurs(table) ||
    isMatcher(table) ||
    (table.key[0] === "mcp_servers" && table.key[1] === MCP_SERVER_NAME && isTools) ||
    (table.key[0] === "otel" && telemetry) ||
    (table.key[0] === "hooks" && table.key[1] === "state" && trusted.has(String(table.key[2])));
}

const toolsOf = (text: string): unknown =>
  (parseTomlConfig(text, "")["mcp_servers"] as Record<string, unknown> | undefined)?.[MCP_SERVER_NAME];

/** Returns the name under which Codex stores whether a hook is trusted. */
const trustKey = (places: UserEnvironment, [, event, matcher, , at]: TomlTable["key"]): string =>
  `${codexConfig(places)}:${String(event)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_")
    .toLowerCase()}:${matcher}:${at}`;

const isServer = ({ key }: TomlTable) => key[0] === "mcp_servers" && key[1] === MCP_SERVER_NAME;

function settings(connection: AgentConnection): AgentConfigFile {
  const { places } = connection;
  const path = codexConfig(places);
  const add = (bare: string) => {
    const free = isFree(bare, path);
    // If the user has already created an entry for an MCP server with the same name, replaces that entry.
    const wanted = appendTables(removeTables(bare, isServer), block(connection, free));
    parseTomlConfig(wanted, path);
    return wanted;
  };
  return {
    path,
    add,
    has: (text, bare) => isSame(text, add(bare), places),
    remove(text, before = "") {
      parseTomlConfig(text, path);
      const without = removeTables(text, oursIn(places, text));
      const theirs = listTables(without).some(isServer) ? "" : extractTables(before, isServer);
      return theirs === "" ? without : appendTables(without, theirs);
    },
  };
}

/**
 * Returns true if two texts contain the same tables from this command, regardless of where the tables are in the text.
 * Ignores the tables with trusted hashes, because Codex may write them itself.
 */
function isSame(text: string, wanted: string, places: UserEnvironment): boolean {
  const mine = (of: string) => {
    const ours = oursIn(places, of);
    const tables = listTables(of).filter((table) => ours(table) && table.key[1] !== "state");
    return JSON.stringify(tables.map(({ key, value }) => [key.filter((part) => typeof part === "string"), value]));
  };
  return mine(text) === mine(wanted);
}

const OTHER_TELEMETRY =
  "Codex already has [otel] settings, and this command does not change them. Trackway records turns and tool calls, but not durations and tokens.";

const isOurHook = (places: UserEnvironment) => (command: unknown) => isHookCommand(places, NAME, command);

/**
 * Codex, which is recorded in two ways: hooks report turns and tool calls, and log records report durations and tokens.
 */
export const codex: Agent = {
  name: NAME,
  title: "Codex CLI",
  program: "codex",
  records: "hooks",
  stops: true,
  own: (connection) => [
    buildHookFile(connection, codex),
    ...buildFuseFiles(connection, codex),
    buildMcpEnvFile(connection, NAME),
  ],
  files: (connection) => [
    settings(connection),
    {
      path: join(folder(connection.places), ".env"),
      add: (bare) => addVariableBlock(bare, NAME, OTEL_EXPORT_TIMEOUT_VARIABLES),
      has: (text, bare) =>
        text.includes(addVariableBlock(bare, NAME, OTEL_EXPORT_TIMEOUT_VARIABLES).slice(bare.length)),
      remove: (text) => removeVariableBlock(text, NAME),
    },
  ],
  notes: ({ places }, texts) => [
    "Codex runs only trusted hooks. If Codex is installed, this command marks the hooks as trusted.",
    ...(isFree(texts.get(codexConfig(places)) ?? "", codexConfig(places)) ? [] : [OTHER_TELEMETRY]),
  ],
  settle: ({ places }) => trustHooks(places, codexConfig(places), isOurHook(places)),
  check: (places) => checkHookTrust(places, isOurHook(places)),
};
