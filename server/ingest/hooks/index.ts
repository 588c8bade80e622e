import { readOwn } from "../../../formats/own.ts";
import { AppError } from "../../errors.ts";
import { limitReachedBy } from "../../resources/lease/limits.ts";
import { parsed } from "../capture/batch.ts";
import type { BodyContext } from "../capture/context.ts";
import type { Endpoint, Observed, Question } from "../capture/endpoints.ts";
import { MAX_EVENTS } from "../rules/bounds.ts";
import { type AgentHooks, observe } from "./agent-hooks.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { cursor } from "./cursor.ts";
import { geminiCli } from "./gemini-cli.ts";
import { opencode } from "./opencode.ts";
import { qwenCode } from "./qwen-code.ts";

/**
 * POST /api/v1/hooks/<agent>: takes what an agent's hook posts, and answers with nothing: an agent would read a body as a
 * decision. Events that are not known, or that the store does not take, are no fault of the agent's.
 */
const hookEndpoint =
  (agent: AgentHooks): Endpoint<Observed> =>
  (body, context) => {
    const { value } = parsed(body, context);
    const { sessionKey = "session_id" } = agent;
    if (typeof readOwn(value, sessionKey) !== "string" || readOwn(value, sessionKey) === "")
      throw new AppError("input", `${sessionKey} must be the session's id, as the agent's hooks send it`, {
        tag: "invalid_hook",
        field: sessionKey,
      });
    const { host } = context;
    const observations = observe(agent, value, context.now).map((each) =>
      host === undefined ? each : { ...each, sessionMetadata: { ...each.sessionMetadata, host } },
    );
    if (observations.length > MAX_EVENTS)
      throw new AppError(
        "input",
        `One payload may tell of ${MAX_EVENTS} calls at most; post fewer tool_calls at once`,
        {
          tag: "too_many_events",
          field: "tool_calls",
          limit: MAX_EVENTS,
        },
      );
    return { observations, answer: () => ({ status: 204, body: "" }) };
  };

/** A decision in the form of an agent's hooks. */
type Decision = (reason: string) => object;

/**
 * POST /api/v1/hooks/<agent>/fuse: answers the decision to stop, in the form of the agent's hooks, to a session of which the
 * claim reached a limit; nothing to any other.
 */
const fuseEndpoint =
  (decision: Decision) =>
  (body: Buffer, context: BodyContext): Question => {
    const session = parsed(body, context).value["session_id"];
    return {
      async ask(db, organizationId) {
        const limit = typeof session === "string" ? await limitReachedBy(db, organizationId, session) : undefined;
        if (limit === undefined) return { status: 204, body: "" };
        const reason = `The claim of this session reached its limit of ${limit}. A person decides how to go on.`;
        return { status: 200, body: decision(reason) };
      },
    };
  };

const stops: Decision = (stopReason) => ({ continue: false, stopReason });

/** Codex takes no end of a turn from a hook before a call: each call is refused. */
const refuses: Decision = (reason) => ({
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: reason,
  },
});

const AGENTS: readonly AgentHooks[] = [claudeCode, codex, geminiCli, opencode, qwenCode, cursor];

/** Agents that `trackway connect --fuse` has ask if they are to stop, with the decision as each reads it. */
const STOPPED = new Map([
  [claudeCode, stops],
  [codex, refuses],
  [opencode, stops],
]);

/** The paths to which each agent's hooks post, under the root of the ingestion API. */
export const hookEndpoints: ReadonlyMap<string, Endpoint> = new Map<string, Endpoint>([
  ...AGENTS.map((agent): [string, Endpoint] => [`hooks/${agent.source}`, hookEndpoint(agent)]),
  ...[...STOPPED].map(([{ source }, decision]): [string, Endpoint] => [`hooks/${source}/fuse`, fuseEndpoint(decision)]),
]);
