import { quoted } from "../../output/safe.ts";
import { type Connection, type OwnFile, ownPaths } from "../agent.ts";

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
