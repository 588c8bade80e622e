import { getOwnProperty } from "../../../formats/own.ts";
import type { Agent } from "../../agents/agent.ts";
import { type AgentHooks, observeHookEvent } from "../../agents/agent-hooks.ts";
import { agents } from "../../agents/index.ts";
import { AppError } from "../../errors.ts";
import { findReachedLimit } from "../../resources/lease/limits.ts";
import { parseBatchBody } from "../capture/batch.ts";
import type { BodyContext } from "../capture/context.ts";
import type { ClientQuestion, IngestEndpoint, ObservationsBody } from "../capture/endpoints.ts";
import { MAX_EVENTS } from "../rules/bounds.ts";

/**
 * POST /api/v1/hooks/<agent>: accepts the payload of an agent's hook and responds with an empty body, because an agent
 * would interpret a body as a decision. Neither unknown events nor observations that the store rejects cause an error
 * response.
 */
const hookEndpoint =
  (agent: AgentHooks): IngestEndpoint<ObservationsBody> =>
  (body, context) => {
    const { value } = parseBatchBody(body, context, "replaced");
    const { sessionKey = "session_id" } = agent;
    if (typeof getOwnProperty(value, sessionKey) !== "string" || getOwnProperty(value, sessionKey) === "")
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

/**
 * POST /api/v1/hooks/<agent>/fuse: tells an agent to stop if the claim of its session reached a limit. The response has
 * the format of the agent's hooks. All other sessions, also sessions without a claim, get an empty 204 response.
 */
const fuseEndpoint =
  (decision: NonNullable<Agent["stop"]>) =>
  (body: Buffer, context: BodyContext): ClientQuestion => {
    const session = parseBatchBody(body, context, "replaced").value["session_id"];
    return {
      async ask(db, organizationId) {
        const limit = typeof session === "string" ? await findReachedLimit(db, organizationId, session) : undefined;
        if (limit === undefined) return { status: 204, body: "" };
        const reason = `The claim of this session reached its limit of ${limit}. A person decides how to go on.`;
        return { status: 200, body: decision(reason) };
      },
    };
  };

/** Hook paths of the agents, relative to the root of the ingestion API. */
export const hookEndpoints: ReadonlyMap<string, IngestEndpoint> = new Map<string, IngestEndpoint>([
  ...agents.flatMap(({ name, hooks }): [string, IngestEndpoint][] =>
    hooks ? [[`hooks/${name}`, hookEndpoint(hooks)]] : [],
  ),
  ...agents.flatMap(({ name, stop }): [string, IngestEndpoint][] =>
    stop ? [[`hooks/${name}/fuse`, fuseEndpoint(stop)]] : [],
  ),
]);
