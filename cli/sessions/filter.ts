import { type Command, InvalidArgumentError, Option } from "commander";
import { readOwn } from "../../formats/own.ts";
import { givenMoment, type Moment } from "../options.ts";

/** The sessions that a command is about. */
export interface Wanted {
  agent?: string;
  user?: string;
  tool?: string;
  failed?: true;
  state?: string;
  since?: Moment;
  until?: Moment;
  text?: string;
}

/** The states that a session may be in, and GraphQL's names of them. */
const STATES: Readonly<Record<string, string>> = {
  working: "working",
  "waiting-for-permission": "waitingForPermission",
  "waiting-for-answer": "waitingForAnswer",
  ...Object.fromEntries(["stuck", "looping", "idle", "failed", "ended"].map((state) => [state, state])),
};

/** Reads a state for an option. */
function stateOf(text: string): string {
  const state = readOwn(STATES, text);
  if (state === undefined) throw new InvalidArgumentError(`It is one of ${Object.keys(STATES).join(", ")}.`);
  return state;
}

/** Adds the options that choose sessions. */
export const chosen = (command: Command): Command =>
  command
    .option("--agent <name>", "only of this agent")
    .option("--user <id>", "only of this end user")
    .option("--tool <name>", "only where this tool was called")
    .option("--failed", "only where something failed")
    .addOption(
      new Option("--state <state>", "only what is so now: working, waiting-for-permission, stuck …").argParser(stateOf),
    )
    .addOption(
      new Option("--since <time>", "only what began since, as 2026-01-31, 45m, 12h or 7d").argParser(givenMoment),
    )
    .addOption(new Option("--until <time>", "only what began before, as 2026-01-31 or 90d").argParser(givenMoment))
    .option("--text <words>", "only where this text stands in an event");

/** The filter of GraphQL that chooses them; empty for all. */
export const filterOf = ({
  agent,
  user,
  tool,
  failed,
  state,
  since,
  until,
  text,
}: Wanted): Record<string, unknown> => ({
  ...(agent !== undefined && { agent: { eq: agent } }),
  ...(user !== undefined && { user: { id: { eq: user } } }),
  ...(tool !== undefined && { tool: { eq: tool } }),
  ...(failed && { hasFailures: { eq: true } }),
  ...(state !== undefined && { state: { eq: state } }),
  ...((since ?? until) !== undefined && {
    startedAt: { ...(since !== undefined && { gte: since.at }), ...(until !== undefined && { lt: until.at }) },
  }),
  ...(text !== undefined && { text }),
});
