import { quoted } from "../../output/print.ts";
import { type Connection, type OwnFile, ownPaths } from "../agent.ts";

const lines = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
const begin = (agent: string) => `# >>> trackway connect ${agent}`;
const end = (agent: string) => `# <<< trackway connect ${agent}`;

/** Adds variables to a text of `NAME=value` lines, between two marks. A variable that is set there already stays as it is. */
export function addBlock(text: string, agent: string, variables: Record<string, string>): string {
  const without = removeBlock(text, agent);
  const isSet = (name: string) => new RegExp(`^\\s*(export\\s+)?${name}\\s*=`, "m").test(without);
  const wanted = Object.entries(variables).filter(([name]) => !isSet(name));
  if (wanted.length === 0) return without;
  const block = [begin(agent), ...wanted.map(([name, value]) => `${name}=${value}`), end(agent)].join("\n");
  return `${lines(without)}${block}\n`;
}

/** Takes the marked lines out. */
export function removeBlock(text: string, agent: string): string {
  const from = text.indexOf(`${begin(agent)}\n`);
  const mark = `${end(agent)}\n`;
  const to = text.indexOf(mark, from);
  return from < 0 || to < 0 ? text : text.slice(0, from) + text.slice(to + mark.length);
}

/**
 * Milliseconds that a program waits for telemetry. At its end it sends what is left, one signal after the other: with a server that
 * does not answer, two of them take most of a second together. By itself it would wait for ten and more.
 */
const DEADLINE_MS = "400";
export const DEADLINES: Readonly<Record<string, string>> = {
  OTEL_EXPORTER_OTLP_TIMEOUT: DEADLINE_MS,
  OTEL_BLRP_EXPORT_TIMEOUT: DEADLINE_MS,
  OTEL_BSP_EXPORT_TIMEOUT: DEADLINE_MS,
  OTEL_METRIC_EXPORT_TIMEOUT: DEADLINE_MS,
};

/** Variables for programs that take telemetry's address and key from the environment alone, to be read by a shell. */
export function telemetryFile(connection: Connection, agent: string, more: Record<string, string> = {}): OwnFile {
  const { places, url, ingestKey } = connection;
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
    OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${ingestKey}`,
    ...DEADLINES,
    ...more,
  };
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}`);
  const head = `# Made by: trackway connect ${agent}. It holds a key: for its owner alone.`;
  return { path: ownPaths(places, agent).variables, text: `${[head, ...lines].join("\n")}\n` };
}

/** The command that starts a program with them, so that no other program gets the key. */
export const startWith = ({ places }: Connection, agent: string, command: string): string =>
  `( . ${quoted(ownPaths(places, agent).variables)}; ${command} )`;
