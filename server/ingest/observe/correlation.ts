import { sessionIdOf, uuid5 } from "./fold/ids.ts";
import { spelledByAgent } from "./fold/turn-owners.ts";
import type { EventKind, Observation } from "./observation.ts";

/** Agents that give a call or a turn no id in one of their ways: their reports meet by name, input and time. */
const WITHOUT_IDS: ReadonlySet<string> = new Set(["gemini-cli"]);

/** Agents whose log records name neither turn nor trace where no spans are sent: they lie in the turn that was last begun. */
const WITHOUT_TURNS: ReadonlySet<string> = new Set(["codex"]);

/** Reports whether an agent gives no ids, so that its reports are matched by their content. */
export const hasNoIds = (source: string): boolean => WITHOUT_IDS.has(source);

/** Reports whether a report belongs to its turn by its time, which makes the session one part. */
export const isPlacedByTime = ({ source, kind, id, turn, trace }: Named): boolean =>
  WITHOUT_IDS.has(source) ||
  (WITHOUT_TURNS.has(source) && trace === undefined && (kind === "turn" ? id : turn) === undefined);

type Named = { [Key in "source" | "kind" | "id" | "turn" | "trace"]?: Observation[Key] | undefined } & {
  source: string;
};

/** Reports whether a model call has an id that only one of the agent's ways knows: Codex's log records have none of the turn either. */
export const isRequestWithoutId = ({ source, kind }: { source: string; kind?: EventKind | undefined }): boolean =>
  source === "codex" && kind === "llm";

/** Reports whether a call is a subagent: Gemini CLI reports it as any other call, and its inner calls by their time alone. */
export const isDelegation = ({ source, kind, name }: { source: string; kind: EventKind; name?: string | undefined }) =>
  WITHOUT_IDS.has(source) && kind === "tool" && name === "invoke_agent";

/** The session that an observation names; undefined where its trace stands for one. */
export const namedSession = (organizationId: string, { source, session }: Observation): string | undefined =>
  session === undefined ? undefined : sessionIdOf(organizationId, source, session);

/** The part of a turn of a session, of a trace, of a call without either, and of the rest of a session. */
export const partOfTurn = (session: string, turn: string): string => uuid5(session, `turn ${turn}`);
export function partOfTrace(organizationId: string, trace: string): string {
  // Observations of a trace mostly come one after the other.
  if (trace !== last.trace || organizationId !== last.organizationId)
    last = { organizationId, trace, part: uuid5(organizationId, `trace ${trace}`) };
  return last.part;
}

let last = { organizationId: "", trace: "", part: "" };

const partOfCall = (session: string, call: string): string => uuid5(session, `call ${call}`);
const partOfRest = (session: string): string => uuid5(session, "rest");

/**
 * The parts that an observation bears on: it stands in the first, and joins the others to it. What can influence one
 * another shares a part, or an observation joins their parts.
 */
export function partsOf(organizationId: string, observation: Observation): string[] {
  const { trace } = observation;
  const session = namedSession(organizationId, observation);
  const inTrace = trace === undefined ? [] : [partOfTrace(organizationId, trace)];
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
      partOfTurn(session, spelledByAgent(turn)),
      ...inTrace,
      ...(endsPrompt(observation) ? [partOfRest(session)] : []),
    ];
  if (inTrace.length > 0) return [...inTrace];
  return [kind !== undefined && id !== undefined ? partOfCall(session, id) : partOfRest(session)];
}

/** Reports whether a turn is known by its end alone, and its prompt lies before that by time. */
const endsPrompt = ({ source, kind, isHook, trace, startedAt }: Observation): boolean =>
  WITHOUT_TURNS.has(source) && kind === "turn" && !isHook && trace === undefined && startedAt === undefined;
