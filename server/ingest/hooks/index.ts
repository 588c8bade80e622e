import { readOwn } from "../../../formats/own.ts";
import { type AgentHooks, observeHookEvent } from "../../agents/agent-hooks.ts";
import { claudeCode } from "../../agents/claude-code/hooks.ts";
import { codex } from "../../agents/codex/hooks.ts";
import { cursor } from "../../agents/cursor/hooks.ts";
import { geminiCli } from "../../agents/gemini-cli/hooks.ts";
import { opencode } from "../../agents/opencode/hooks.ts";
import { qwenCode } from "../../agents/qwen-code/hooks.ts";
import { AppError } from "../../errors.ts";
import { limitReachedBy } from "../../resources/lease/limits.ts";
import { parseBatch } from "../capture/batch.ts";
import type { BodyContext } from "../capture/context.ts";
import type { Endpoint, ObservedBody, Question } from "../capture/endpoints.ts";
import { MAX_EVENTS } from "../rules/bounds.ts";

/**
 * POST /api/v1/hooks/<agent>: accepts the payload of an agent's hook and responds with an empty body, because an agent
 * would read a body as a decision. Unknown events, and observations that the store rejects, are not reported to the
 * agent as errors.
 */
const hookEndpoint =
  (agent: AgentHooks): Endpoint<ObservedBody> =>
  (body, context) => {
    const { value } = parseBatch(body, context, "replaced");
    const { sessionKey = "session_id" } = agent;
    if (typeof readOwn(value, sessionKey) !== "string" || readOwn(value, sessionKey) === "")
      throw new AppError("input", `${sessionKey} must be the session's id, as the agent's hooks send it`, {
        tag: "invalid_hook",
        field: sessionKey,
      });
    const { host } = context;
    const observations = observeHookEvent(agent, value, context.now).map((each) =>
      host === undefined ? each : { ...each, sessionMetadata: { ...each.sessionMetadata, host } },
    );
    if (observations.length > MAX_EVENTS)
      throw new AppError(
        "input",
        `A payload may report at most ${MAX_EVENTS} calls; send fewer tool_calls per request`,
        {
          tag: "too_many_events",
          field: "tool_calls",
          limit: MAX_EVENTS,
        },
      );
    return { observations, answer: () => ({ status: 204, body: "" }) };
  };

/** Creates a decision in the format of an agent's hooks. */
type Decision = (reason: string) => object;

/**
 * POST /api/v1/hooks/<agent>/fuse: tells an agent to stop if the claim of its session reached a limit. The response has
 * the format of the agent's hooks. Other sessions get an empty 204 response.
 */
const fuseEndpoint =
  (decision: Decision) =>
  (body: Buffer, context: BodyContext): Question => {
    const session = parseBatch(body, context, "replaced").value["session_id"];
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

/** A Codex hook cannot end the turn before a call, so each call is denied. */
const refuses: Decision = (reason) => ({
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: reason,
  },
});

const AGENTS: readonly AgentHooks[] = [claudeCode, codex, geminiCli, opencode, qwenCode, cursor];

/** Agents that `trackway connect --fuse` configures to ask whether to stop, with the decision format of each agent. */
const STOPPED = new Map([
  [claudeCode, stops],
  [codex, refuses],
  [opencode, stops],
]);

/** Hook paths of the agents, relative to the root of the ingestion API. */
export const hookEndpoints: ReadonlyMap<string, Endpoint> = new Map<string, Endpoint>([
  ...AGENTS.map((agent): [string, Endpoint] => [`hooks/${agent.source}`, hookEndpoint(agent)]),
  ...[...STOPPED].map(([{ source }, decision]): [string, Endpoint] => [`hooks/${source}/fuse`, fuseEndpoint(decision)]),
]);
