import { parseArgs } from "node:util";
import { z } from "zod";
import { readOwn } from "../formats/own.ts";
import { parseSelection, type ToolSelection } from "./registry/selection.ts";

const list = z
  .string()
  .transform((text) => text.split(",").map((item) => item.trim()))
  .pipe(z.array(z.string().min(1)));
const onOff = z.enum(["on", "off", "true", "false", "1", "0"]).transform((text) => ["on", "true", "1"].includes(text));

/** Every variable that the MCP server reads. */
export const settings = z.object({
  TRACKER_URL: z.url({ protocol: /^https?$/, error: "must be an http(s) address" }).default("http://127.0.0.1:4000"),
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
  MCP_PUBLIC_URL: list.pipe(z.array(z.url({ protocol: /^https?$/, error: "must be http(s) addresses" }))).default([]),
  MCP_ALLOWED_HOSTS: list.default([]),
  MCP_ALLOWED_ORIGINS: list.default([]),
  SHUTDOWN_DELAY: z.coerce.number("must be seconds").int().min(0).max(300).default(0),
  METRICS: onOff.default(false),
  METRICS_TOKEN: z.string().min(16, "must have at least 16 characters").optional(),
});

/** The placeholder of some clients for an optional setting that nobody filled in. */
const PLACEHOLDER = /^\$\{.*\}$/;

/** Each flag and the variable it stands for; a flag wins over the environment. */
const FLAGS = {
  url: "TRACKER_URL",
  toolsets: "TRACKER_TOOLSETS",
  tools: "TRACKER_TOOLS",
  "read-only": "TRACKER_READ_ONLY",
  capture: "TRACKER_CAPTURE",
  host: "MCP_HOST",
  port: "MCP_PORT",
} as const;

/** The settings of the MCP server, over stdio and over HTTP. */
export type Config = ReturnType<typeof readConfig>;

/** A command line or environment the server cannot start with; one line that names what to change. */
export class ConfigError extends Error {}

/**
 * Reads flags and environment; empty variables count as unset.
 * @throws ConfigError naming the first bad flag or variable.
 */
export function readConfig(args: string[], env: NodeJS.ProcessEnv) {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value && !PLACEHOLDER.test(value)));
  const parsed = settings.safeParse({ ...set, ...readFlags(args) });
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ConfigError(`${issue?.path[0]?.toString()} ${issue?.message}`);
  }
  const values = parsed.data;
  return {
    /** Trackway's address, without a trailing slash. */
    url: values.TRACKER_URL.replace(/\/+$/, ""),
    apiKey: values.TRACKER_API_KEY,
    ingestKey: values.TRACKER_INGEST_KEY,
    /** The most a client of this process may use. */
    allowedTools: readSelection(values.TRACKER_TOOLSETS, values.TRACKER_TOOLS, values.TRACKER_READ_ONLY),
    capture: values.TRACKER_CAPTURE,
    host: values.MCP_HOST,
    port: values.MCP_PORT,
    /** Addresses under which people reach this server, where they are not those of loopback. */
    publicUrls: values.MCP_PUBLIC_URL,
    allowedHosts: [...values.MCP_ALLOWED_HOSTS, ...values.MCP_PUBLIC_URL.map((url) => new URL(url).hostname)],
    allowedOrigins: values.MCP_ALLOWED_ORIGINS,
    /** For so many seconds of a stop /health is 503 and all is served, so that what routes sends new calls elsewhere. */
    shutdownDelay: values.SHUTDOWN_DELAY,
    metrics: values.METRICS,
    metricsToken: values.METRICS_TOKEN,
  };
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
      Object.entries(values).map(([name, value]) => [readOwn(FLAGS, name), value === true ? "on" : String(value)]),
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
