import { quoteForShell } from "../../output/print.ts";
import { type AgentConnection, getAgentPaths, type TrackwayConfigFile } from "../agent.ts";

const endWithNewline = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
const begin = (agent: string) => `# >>> trackway connect ${agent}`;
const end = (agent: string) => `# <<< trackway connect ${agent}`;

/**
 * Adds variables to a text of `NAME=value` lines. The added lines are enclosed by a begin line and an end line. A
 * variable that the text already sets stays unchanged.
 */
export function addVariableBlock(text: string, agent: string, variables: Record<string, string>): string {
  const without = removeVariableBlock(text, agent);
  const isSet = (name: string) => new RegExp(`^\\s*(export\\s+)?${name}\\s*=`, "m").test(without);
  const wanted = Object.entries(variables).filter(([name]) => !isSet(name));
  if (wanted.length === 0) return without;
  const block = [begin(agent), ...wanted.map(([name, value]) => `${name}=${value}`), end(agent)].join("\n");
  return `${endWithNewline(without)}${block}\n`;
}

/** Removes the block that `addVariableBlock` added: the begin line, the end line and all lines between them. */
export function removeVariableBlock(text: string, agent: string): string {
  const from = text.indexOf(`${begin(agent)}\n`);
  const mark = `${end(agent)}\n`;
  const to = text.indexOf(mark, from);
  return from < 0 || to < 0 ? text : text.slice(0, from) + text.slice(to + mark.length);
}

/**
 * Maximum time in milliseconds that a program waits for one export of telemetry. At exit, a program exports its
 * remaining telemetry, one signal (such as traces or logs) after the other. If the server does not respond, the exports
 * of two signals delay the exit by less than a second. The default limit is ten seconds or more.
 */
const DEADLINE_MS = "400";
export const OTEL_EXPORT_TIMEOUT_VARIABLES: Readonly<Record<string, string>> = {
  OTEL_EXPORTER_OTLP_TIMEOUT: DEADLINE_MS,
  OTEL_BLRP_EXPORT_TIMEOUT: DEADLINE_MS,
  OTEL_BSP_EXPORT_TIMEOUT: DEADLINE_MS,
  OTEL_METRIC_EXPORT_TIMEOUT: DEADLINE_MS,
};

/**
 * Returns a file of shell variables, for programs that read the address and key of telemetry only from the environment.
 */
export function buildTelemetryFile(
  connection: AgentConnection,
  agent: string,
  more: Record<string, string> = {},
): TrackwayConfigFile {
  const { places, url, ingestKey } = connection;
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
    OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${ingestKey}`,
    ...OTEL_EXPORT_TIMEOUT_VARIABLES,
    ...more,
  };
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quoteForShell(value)}`);
  const head = `# Made by: trackway connect ${agent}. It holds a key: for its owner alone.`;
  return { path: getAgentPaths(places, agent).variables, text: `${[head, ...lines].join("\n")}\n` };
}

/**
 * Returns the command that starts a program with the variables, in a subshell so that no other program gets the key.
 */
export const buildStartCommand = ({ places }: AgentConnection, agent: string, command: string): string =>
  `( . ${quoteForShell(getAgentPaths(places, agent).variables)}; ${command} )`;
