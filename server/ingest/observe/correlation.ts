import { findAgent } from "../../agents/index.ts";
import type { EventKind, Observation } from "../../agents/observation.ts";
import { toSessionId, uuid5 } from "./fold/ids.ts";
import { toAgentTurnId } from "./fold/turn-owners.ts";

/** Returns true if an agent sends no ids, so that reports are matched by content. */
export const hasNoIds = (source: string): boolean => findAgent(source)?.hasNoIds === true;

/** Returns true if a report is assigned to a turn by time. All these reports of a session share one part. */
export function isPlacedByTime({ source, kind, id, turn, trace }: Named): boolean {
  const agent = findAgent(source);
  return (
    agent?.hasNoIds === true ||
    (agent?.hasNoTurns === true && trace === undefined && (kind === "turn" ? id : turn) === undefined)
  );
}

type Named = { [Key in "source" | "kind" | "id" | "turn" | "trace"]?: Observation[Key] | undefined } & {
  source: string;
};

/** Returns true for a model call whose id only one of hooks and telemetry contains. */
export const isRequestWithoutId = ({ source, kind }: { source: string; kind?: EventKind | undefined }): boolean =>
  kind === "llm" && findAgent(source)?.hasNoRequestIds === true;

/** Returns true if a call is a subagent. Some agents report a subagent like any other call. */
export const isDelegation = ({ source, kind, name }: { source: string; kind: EventKind; name?: string | undefined }) =>
  kind === "tool" && name !== undefined && name === findAgent(source)?.delegates?.tool;

/** Returns the session that an observation names; undefined if the trace stands for the session. */
export const findNamedSessionId = (organizationId: string, { source, session }: Observation): string | undefined =>
  session === undefined ? undefined : toSessionId(organizationId, source, session);

/**
 * Returns the part of a turn of a session. The functions below return the part of a trace, of a call without turn or
 * trace, and of everything else in a session.
 */
export const turnPartId = (session: string, turn: string): string => uuid5(session, `turn ${turn}`);
export function tracePartId(organizationId: string, trace: string): string {
  // Observations of a trace usually arrive in sequence.
  if (trace !== last.trace || organizationId !== last.organizationId)
    last = { organizationId, trace, part: uuid5(organizationId, `trace ${trace}`) };
  return last.part;
}

let last = { organizationId: "", trace: "", part: "" };

const partOfCall = (session: string, call: string): string => uuid5(session, `call ${call}`);
const partOfRest = (session: string): string => uuid5(session, "rest");

/**
 * Returns the parts that an observation affects. The observation is stored in the first part and joins the others to
 * the first. Observations that can influence each other share a part, or another observation joins their parts.
 */
export function findPartIds(organizationId: string, observation: Observation): string[] {
  const { trace } = observation;
  const session = findNamedSessionId(organizationId, observation);
  const inTrace = trace === undefined ? [] : [tracePartId(organizationId, trace)];
  if (session === undefined) return inTrace;
  const parts = partsOfSession(observation, session, inTrace);
  if (!isRequestWithoutId(observation)) return parts;
  const { inputTokens, outputTokens } = observation.usage ?? {};
  return [partOfCall(session, `request ${inputTokens}/${outputTokens}`), ...parts];
}

function partsOfSession(observation: Observation, session: string, inTrace: readonly string[]): string[] {
  const { kind, id } = observation;
  if (isPlacedByTime(observation)) return [partOfRest(session), ...inTrace];
  const turn = kind === "turn" ? id : observation.turn;
  if (turn !== undefined)
    return [
      turnPartId(session, toAgentTurnId(turn)),
      ...inTrace,
      ...(endsPrompt(observation) ? [partOfRest(session)] : []),
    ];
  if (inTrace.length > 0) return [...inTrace];
  return [kind !== undefined && id !== undefined ? partOfCall(session, id) : partOfRest(session)];
}

/** Returns true if a report contains only the end of a turn. The prompt of the turn comes before the end in time. */
const endsPrompt = ({ source, kind, isHook, trace, startedAt }: Observation): boolean =>
  kind === "turn" &&
  !isHook &&
  trace === undefined &&
  startedAt === undefined &&
  findAgent(source)?.hasNoTurns === true;
