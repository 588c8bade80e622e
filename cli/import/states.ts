import type { Settings } from "./row.ts";

/** The type of a state, by the names it commonly has. */
const MEANINGS: Readonly<Record<string, readonly string[]>> = {
  triage: ["triage"],
  backlog: ["backlog", "icebox", "deferred"],
  unstarted: ["todo", "to do", "open", "new", "ready", "planned", "reopened", "selected for development", "blocked"],
  started: ["in progress", "in review", "in development", "doing", "started", "review", "testing", "qa", "in testing"],
  completed: ["done", "closed", "resolved", "complete", "completed", "finished", "released", "shipped"],
  canceled: [
    "canceled",
    "cancelled",
    "won't do",
    "won't fix",
    "wontfix",
    "rejected",
    "declined",
    "invalid",
    "abandoned",
  ],
  duplicate: ["duplicate"],
};

const TYPES = new Map(Object.entries(MEANINGS).flatMap(([type, names]) => names.map((name) => [name, type])));

/**
 * The state of an issue, with its type where that is known. A team that lacks the state then gets it; a state of
 * unknown type is refused with the team's own.
 */
export function stateOf(name: string | undefined, hint: string | undefined, { states }: Settings) {
  const trimmed = name?.trim();
  if (!trimmed) return {};
  const mapped = states.get(trimmed.toLowerCase());
  if (mapped) return { state: mapped };
  return { state: trimmed, stateType: TYPES.get(trimmed.toLowerCase()) ?? hint };
}
