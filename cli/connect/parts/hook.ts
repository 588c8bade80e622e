import { hostname } from "node:os";
import { readOwn } from "../../../formats/own.ts";
import type { JsonPart } from "../../files/json.ts";
import type { Places } from "../../files/places.ts";
import { quoted } from "../../output/print.ts";
import { type Agent, type Connection, type OwnFile, ownPaths } from "../agent.ts";

/** Addresses of programs on the same machine; a proxy could not reach them. */
const LOOPBACK = /^https?:\/\/(127\.|localhost[:/]|localhost$|\[::1\])/;

/**
 * The command that an agent runs at an event. It takes its input first and sends it from the background. So the agent waits
 * for nothing and sees no output and no failure, whatever the server does. The key stands in a file that curl reads, not
 * on a command line; curl reads no other settings (-q), and what is under way survives the terminal (HUP). The quotes are
 * such that sh, bash, zsh and fish read it alike.
 */
export function hookCommand(places: Places, agent: string, only?: string): string {
  const send = `trap "" HUP; printf %s "$b" | curl -q -K "$0" --data-binary @- >/dev/null 2>&1 &`;
  const script = only ? `b=$(cat); case "$b" in *${only}*) ${send} ;; esac; exit 0` : `b=$(cat); ${send}`;
  return `sh -c '${script}' ${quoted(ownPaths(places, agent).hook)}`;
}

/** True if a command is one of ours: it names a file that none but us writes. */
export function isHookCommand(places: Places, agent: string, command: unknown): boolean {
  const { hook, fuse } = ownPaths(places, agent);
  return typeof command === "string" && [hook, fuse].some((path) => command.includes(quoted(path)));
}

/** The settings of curl: the endpoint, the key, and how long to try. Nobody waits for it. */
export function hookFile({ places, url, ingestKey }: Connection, { name }: Pick<Agent, "name">): OwnFile {
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
  return { path: ownPaths(places, name).hook, text: `${lines.join("\n")}\n` };
}

/**
 * The command that asks, before each call of a tool, if the claim of the session reached a limit. It is the only one that
 * an agent waits for: 200 ms at most. An answer of the server is passed on as the agent's decision; without one it goes on.
 */
export const fuseCommand = (places: Places, agent: string): string =>
  `sh -c 'curl -q -K "$0" --data-binary @- 2>/dev/null; exit 0' ${quoted(ownPaths(places, agent).fuse)}`;

/** The settings of curl for that question, where it is to be asked. A refusal's body is no decision, and stays unread. */
export function fuseFiles({ places, url, ingestKey, fuse }: Connection, { name }: Pick<Agent, "name">): OwnFile[] {
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
  return [{ path: ownPaths(places, name).fuse, text: `${lines.join("\n")}\n` }];
}

interface Matcher {
  hooks?: { command?: unknown }[];
}

/**
 * Hooks as Claude Code and Gemini CLI write them: lists of matchers by event, each with its commands. `beside` are further
 * commands of an event.
 */
export const hookParts = (
  places: Places,
  agent: string,
  events: Record<string, Record<string, unknown>>,
  only: Record<string, string> = {},
  beside: Record<string, readonly object[]> = {},
): JsonPart[] =>
  Object.entries(events).map(([event, more]) => ({
    path: ["hooks", event],
    value: {
      hooks: [
        { type: "command", command: hookCommand(places, agent, readOwn(only, event)), ...more },
        ...(readOwn(beside, event) ?? []),
      ],
    },
    ours: (element) =>
      Boolean((element as Matcher)?.hooks?.some?.(({ command }) => isHookCommand(places, agent, command))),
  }));
