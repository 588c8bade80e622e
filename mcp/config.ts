import { parseArgs } from "node:util";
import { z } from "zod";
import { InvalidVariableError, readVariables, type VariableKind } from "../formats/environment.ts";
import { getOwnProperty } from "../formats/own.ts";
import { findUrlErrorMessage, parseServerUrl } from "../formats/secret-url.ts";
import { isHostname, isOrigin } from "../formats/urls.ts";
import { parseSelection, type ToolSelection } from "./registry/selection.ts";

const list = z
  .string()
  .transform((text) => text.split(",").map((item) => item.trim()))
  .pipe(z.array(z.string().min(1)));
const onOff = z.enum(["on", "off", "true", "false", "1", "0"]).transform((text) => ["on", "true", "1"].includes(text));

/** Schema of a server's URL. Messages and links show the URL, so the URL must not contain a secret. */
const serverUrl = () =>
  z.string().superRefine((text, context) => {
    const message = findUrlErrorMessage(() => parseServerUrl(text));
    if (message) context.addIssue({ code: "custom", message: message.replace(/^takes/, "must be") });
  });

/** Environment variables of the MCP server. */
export const environmentSchema = z.object({
  TRACKER_URL: serverUrl().default("http://127.0.0.1:4000"),
  TRACKER_API_KEY: z
    .string()
    .regex(/^trk_api_[0-9a-f]{40}$/, "must be a personal key: trk_api_ and 40 hexadecimal digits")
    .optional(),
  TRACKER_INGEST_KEY: z
    .string()
    .regex(/^sk_[0-9a-f]{64}$/, "must be an ingest key: sk_ and 64 hexadecimal digits")
    .optional(),
  TRACKER_TOOLSETS: list.optional(),
  TRACKER_TOOLS: list.optional(),
  TRACKER_READ_ONLY: onOff.default(false),
  TRACKER_CAPTURE: onOff.default(false),
  MCP_HOST: z.string().min(1).default("127.0.0.1"),
  MCP_PORT: z.coerce.number("must be a port number").int().min(0).max(65_535).default(4100),
  MCP_PUBLIC_URL: list.pipe(z.array(serverUrl())).default([]),
  MCP_ALLOWED_HOSTS: list
    .refine(
      (all) => all.every((name) => name === "*" || isHostname(name)),
      "must be names of hosts in lower case and without a port, such as tracker.example.com; or * for any",
    )
    .default([]),
  MCP_ALLOWED_ORIGINS: list
    .refine(
      (all) => all.every((origin) => origin === "*" || isOrigin(origin)),
      "must be origins of pages as browsers send them, such as https://app.example.com; or * for any",
    )
    .default([]),
  SHUTDOWN_DELAY: z.coerce.number("must be seconds").int().min(0).max(300).default(0),
  METRICS: onOff.default(false),
  METRICS_TOKEN: z
    .string()
    .regex(
      /^[\x21-\x7e][\x20-\x7e]{14,}[\x21-\x7e]$/,
      "must have at least 16 characters of ASCII, without spaces at its ends",
    )
    .optional(),
});

/** Matches the placeholder that some clients send for an optional setting without a value. */
const PLACEHOLDER = /^\$\{.*\}$/;

/** Environment variable that each command-line flag replaces. A flag takes precedence over the environment. */
const FLAGS = {
  url: "TRACKER_URL",
  toolsets: "TRACKER_TOOLSETS",
  tools: "TRACKER_TOOLS",
  "read-only": "TRACKER_READ_ONLY",
  capture: "TRACKER_CAPTURE",
  host: "MCP_HOST",
  port: "MCP_PORT",
} as const;

/** Settings of the MCP server, for stdio and HTTP. */
export type Config = ReturnType<typeof readConfig>;

/** Error in the command line or environment. The message is one line that says what to change. */
export class ConfigError extends Error {}

/**
 * Reads flags and environment. Empty variables count as unset.
 * @throws ConfigError that names the first invalid flag or variable
 */
export function readConfig(args: string[], env: NodeJS.ProcessEnv) {
  const set = Object.fromEntries(Object.entries(variablesOf(env)).filter(([, value]) => !PLACEHOLDER.test(value)));
  const parsed = environmentSchema.safeParse({ ...set, ...readFlags(args) });
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ConfigError(`${issue?.path[0]?.toString()} ${issue?.message}`);
  }
  const values = parsed.data;
  return {
    /** URL of the Trackway server, without a trailing slash. */
    url: values.TRACKER_URL.replace(/\/+$/, ""),
    apiKey: values.TRACKER_API_KEY,
    ingestKey: values.TRACKER_INGEST_KEY,
    /** Maximum selection of tools. Clients of this process cannot use other tools. */
    allowedTools: readSelection(values.TRACKER_TOOLSETS, values.TRACKER_TOOLS, values.TRACKER_READ_ONLY),
    capture: values.TRACKER_CAPTURE,
    host: values.MCP_HOST,
    port: values.MCP_PORT,
    /** Public URLs of the MCP server. */
    publicUrls: values.MCP_PUBLIC_URL,
    allowedHosts: [...values.MCP_ALLOWED_HOSTS, ...values.MCP_PUBLIC_URL.map((url) => new URL(url).hostname)],
    allowedOrigins: values.MCP_ALLOWED_ORIGINS,
    /**
     * Seconds that the server waits before it stops. During this time, /health responds with 503 while all requests are
     * served, so that load balancers switch to other servers.
     */
    shutdownDelay: values.SHUTDOWN_DELAY,
    metrics: values.METRICS,
    metricsToken: values.METRICS_TOKEN,
  };
}

/** Variables that keep every byte. Spaces and quotes are not removed. */
const EXACT = new Set(["TRACKER_API_KEY", "TRACKER_INGEST_KEY", "METRICS_TOKEN"]);

const kindOf = (name: string): VariableKind | undefined => {
  if (EXACT.has(name)) return "exact";
  return Object.hasOwn(environmentSchema.shape, name) ? "plain" : undefined;
};

function variablesOf(env: NodeJS.ProcessEnv): Record<string, string> {
  try {
    return readVariables(env, kindOf);
  } catch (error) {
    throw error instanceof InvalidVariableError ? new ConfigError(error.message) : error;
  }
}

function readFlags(args: string[]): Record<string, string> {
  try {
    const text = { type: "string" } as const;
    const flag = { type: "boolean" } as const;
    const { values } = parseArgs({
      args,
      options: { url: text, toolsets: text, tools: text, host: text, port: text, "read-only": flag, capture: flag },
    });
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        getOwnProperty(FLAGS, name),
        value === true ? "on" : String(value),
      ]),
    );
  } catch (error) {
    throw new ConfigError(`${(error as Error).message} Flags: --${Object.keys(FLAGS).join(", --")}`);
  }
}

function readSelection(toolsets: string[] | undefined, tools: string[] | undefined, readOnly: boolean): ToolSelection {
  try {
    return parseSelection({ toolsets, tools, readOnly });
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
}
