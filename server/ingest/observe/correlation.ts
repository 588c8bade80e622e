import { findAgent } from "../../agents/index.ts";
import type { EventKind, Observation } from "../../agents/observation.ts";
import { toSessionId, uuid5 } from "./fold/ids.ts";
import { toAgentTurnId } from "./fold/turn-owners.ts";

/** Returns true if an agent sends no ids, so that reports are matched by content. */
export const isSourceWithoutIds = (source: string): boolean => findAgent(source)?.hasNoIds === true;

/**
 * Returns true if a report is assigned to a turn by time. All reports of a session that are assigned by time are in one
 * part, or in parts that are connected with that part.
 */
export function isAssignedToTurnByTime({ source, kind, id, turn, trace }: Named): boolean {
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
export const isSubagentCall = ({
  source,
  kind,
  name,
}: {
  source: string;
  kind: EventKind;
  name?: string | undefined;
}) => kind === "tool" && name !== undefined && name === findAgent(source)?.delegates?.tool;

/**
 * Returns the id of the session that an observation names. Returns undefined if the observation names no session; the
 * trace then identifies the session.
 */
export const findNamedSessionId = (organizationId: string, { source, session }: Observation): string | undefined =>
  session === undefined ? undefined : toSessionId(organizationId, source, session);

/**
 * Returns the id of the part that contains the observations of one turn. The functions below return the parts of a
 * trace, of a call without turn or trace, and of all other observations of a session.
 */
export const turnPartId = (session: string, turn: string): string => uuid5(session, `turn ${turn}`);
export function tracePartId(organizationId: string, trace: string): string {
  // Caches the last trace, because observations of the same trace usually follow each other.
  if (trace !== last.trace || organizationId !== last.organizationId)
    last = { organizationId, trace, part: uuid5(organizationId, `trace ${trace}`) };
  return last.part;
}

let last = { organizationId: "", trace: "", part: "" };

const partOfCall = (session: string, call: string): string => uuid5(session, `call ${call}`);
const partOfRest = (session: string): string => uuid5(session, "rest");

/**
 * Returns the ids of the parts that an observation affects. The observation is stored in the first part, and connects
 * the other parts with the first. Observations that can influence each other are therefore always in the same part or
 * in connected parts.
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
  if (isAssignedToTurnByTime(observation)) return [partOfRest(session), ...inTrace];
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

/**
 * Returns true if a report contains only the end of a turn. The prompt of the turn is in an earlier report, which is
 * found by time.
 */
const endsPrompt = ({ source, kind, isHook, trace, startedAt }: Observation): boolean =>
  kind === "turn" &&
  !isHook &&
  trace === undefined &&
  startedAt === undefined &&
  findAgent(source)?.hasNoTurns === true;
