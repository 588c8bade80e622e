import type { JsonPart } from "../../files/json.ts";
import type { Places } from "../../files/places.ts";
import { hookCommand, isHookCommand } from "./hook.ts";

interface Matcher {
  hooks?: { command?: unknown }[];
}

/** Hooks as Claude Code and Gemini CLI write them: lists of matchers by event, each with its commands. */
export const hookParts = (
  places: Places,
  agent: string,
  events: Record<string, Record<string, unknown>>,
  only: Record<string, string> = {},
): JsonPart[] =>
  Object.entries(events).map(([event, more]) => ({
    path: ["hooks", event],
    value: { hooks: [{ type: "command", command: hookCommand(places, agent, only[event]), ...more }] },
    ours: (element) =>
      Boolean((element as Matcher)?.hooks?.some?.(({ command }) => isHookCommand(places, agent, command))),
  }));
