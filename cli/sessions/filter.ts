import { type Command, InvalidArgumentError, Option } from "commander";
import { getOwnProperty } from "../../formats/own.ts";
import { type MomentOption, parseMomentOption } from "../options.ts";

/** Options that select sessions. */
export interface SessionOptions {
  agent?: string;
  user?: string;
  tool?: string;
  failed?: true;
  state?: string;
  since?: MomentOption;
  until?: MomentOption;
  text?: string;
}

/** States of a session, with their names in GraphQL. */
const STATES: Readonly<Record<string, string>> = {
  working: "working",
  "waiting-for-permission": "waitingForPermission",
  "waiting-for-answer": "waitingForAnswer",
  ...Object.fromEntries(["stuck", "looping", "idle", "failed", "ended"].map((state) => [state, state])),
};

/** Parses a state for an option. */
function stateOf(text: string): string {
  const state = getOwnProperty(STATES, text);
  if (state === undefined) throw new InvalidArgumentError(`Use one of ${Object.keys(STATES).join(", ")}.`);
  return state;
}

/** Adds the options that select sessions. */
export const addSessionOptions = (command: Command): Command =>
  command
    .option("--agent <name>", "only sessions of this agent")
    .option("--user <id>", "only sessions of this recorded user")
    .option("--tool <name>", "only sessions that called this tool")
    .option("--failed", "only sessions with failures")
    .addOption(
      new Option("--state <state>", "only sessions in this state: working, waiting-for-permission, stuck …").argParser(
        stateOf,
      ),
    )
    .addOption(
      new Option("--since <time>", "only sessions that started since, such as 2026-01-31, 45m, 12h or 7d").argParser(
        parseMomentOption,
      ),
    )
    .addOption(
      new Option("--until <time>", "only sessions that started before, such as 2026-01-31 or 90d").argParser(
        parseMomentOption,
      ),
    )
    .option("--text <words>", "only sessions with this text in an event");

/** Returns the GraphQL filter for these options; empty if all sessions match. */
export const buildSessionFilter = ({
  agent,
  user,
  tool,
  failed,
  state,
  since,
  until,
  text,
}: SessionOptions): Record<string, unknown> => ({
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
