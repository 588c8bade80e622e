import { hostname } from "node:os";
import { getOwnProperty } from "../../../formats/own.ts";
import type { JsonPart } from "../../files/json.ts";
import type { UserEnvironment } from "../../files/places.ts";
import { quoteForShell } from "../../output/print.ts";
import { type Agent, type AgentConnection, getAgentPaths, type TrackwayConfigFile } from "../agent.ts";

/** Addresses on this machine, which a proxy could not reach. */
const LOOPBACK = /^https?:\/\/(127\.|localhost[:/]|localhost$|\[::1\])/;

/**
 * Returns the shell command that an agent runs for each hook event. The command sends its input in the background, so
 * the agent never waits and never sees output or failures. The key is in a file that curl reads, because other users
 * can see command lines. `-q` makes curl ignore the user's curl settings. `trap "" HUP` keeps the transfer running when
 * the terminal closes. sh, bash, zsh and fish interpret the quotes in the same way.
 */
export function buildHookCommand(places: UserEnvironment, agent: string, only?: string): string {
  const send = `trap "" HUP; printf %s "$b" | curl -q -K "$0" --data-binary @- >/dev/null 2>&1 &`;
  const script = only ? `b=$(cat); case "$b" in *${only}*) ${send} ;; esac; exit 0` : `b=$(cat); ${send}`;
  return `sh -c '${script}' ${quoteForShell(getAgentPaths(places, agent).hook)}`;
}

/** Returns true if Trackway installed a command: the command names a file that only Trackway writes. */
export function isHookCommand(places: UserEnvironment, agent: string, command: unknown): boolean {
  const { hook, fuse } = getAgentPaths(places, agent);
  return typeof command === "string" && [hook, fuse].some((path) => command.includes(quoteForShell(path)));
}

/**
 * Returns the file with curl's settings: endpoint, key, time limits and retries. The time limits can be long, because
 * no program waits for curl.
 */
export function buildHookFile(
  { places, url, ingestKey }: AgentConnection,
  { name }: Pick<Agent, "name">,
): TrackwayConfigFile {
  const lines = [
    `# Made by: trackway connect ${name}. It holds a key: for its owner alone.`,
    `url = "${url}/api/v1/hooks/${name}?host=${encodeURIComponent(hostname())}"`,
    `header = "x-api-key: ${ingestKey}"`,
    'header = "content-type: application/json"',
    "# Long bodies are sent at once, without asking first.",
    'header = "Expect:"',
    "silent",
    "connect-timeout = 3",
    "max-time = 10",
    "# A server that is busy says when to come again.",
    "retry = 2",
    "retry-max-time = 20",
    ...(LOOPBACK.test(url) ? ['noproxy = "*"'] : []),
  ];
  return { path: getAgentPaths(places, name).hook, text: `${lines.join("\n")}\n` };
}

/**
 * Returns the command that asks the server, before each tool call, whether the session's claim has reached a limit. The
 * agent uses the server's response as the hook's decision, and continues if there is no response. An agent waits for no
 * hook except this hook, and waits at most 200 ms.
 */
export const buildFuseCommand = (places: UserEnvironment, agent: string): string =>
  `sh -c 'curl -q -K "$0" --data-binary @- 2>/dev/null; exit 0' ${quoteForShell(getAgentPaths(places, agent).fuse)}`;

/**
 * Returns the settings of curl for the fuse; none if the fuse is off. With `fail`, curl discards the body of an error
 * response, because it is not a decision.
 */
export function buildFuseFiles(
  { places, url, ingestKey, fuse }: AgentConnection,
  { name }: Pick<Agent, "name">,
): TrackwayConfigFile[] {
  if (!fuse) return [];
  const lines = [
    `# Made by: trackway connect ${name} --fuse. It holds a key: for its owner alone.`,
    `url = "${url}/api/v1/hooks/${name}/fuse"`,
    `header = "x-api-key: ${ingestKey}"`,
    'header = "content-type: application/json"',
    'header = "Expect:"',
    "silent",
    "fail",
    "max-time = 0.2",
    ...(LOOPBACK.test(url) ? ['noproxy = "*"'] : []),
  ];
  return [{ path: getAgentPaths(places, name).fuse, text: `${lines.join("\n")}\n` }];
}

interface Matcher {
  hooks?: { command?: unknown }[];
}

/**
 * Returns the hook settings in the format of Claude Code and Gemini CLI, in which each event has a list of matchers
 * with commands. `beside` contains additional commands for some events.
 */
export const buildHookParts = (
  places: UserEnvironment,
  agent: string,
  events: Record<string, Record<string, unknown>>,
  only: Record<string, string> = {},
  beside: Record<string, readonly object[]> = {},
): JsonPart[] =>
  Object.entries(events).map(([event, more]) => ({
    path: ["hooks", event],
    value: {
      hooks: [
        { type: "command", command: buildHookCommand(places, agent, getOwnProperty(only, event)), ...more },
        ...(getOwnProperty(beside, event) ?? []),
      ],
    },
    ours: (element) =>
      Boolean((element as Matcher)?.hooks?.some?.(({ command }) => isHookCommand(places, agent, command))),
  }));
