import { isObject } from "../../../../formats/json.ts";
import type { Observation } from "../../../agents/observation.ts";
import { cleanText } from "../../rules/tidy.ts";
import { eventEnd, eventStart } from "./event.ts";
import type { EventDraft, PlacedObservation } from "./facts.ts";
import { toCallId, toTurnId } from "./ids.ts";

/** Request of an agent for the user's permission or answer. */
export interface UserRequest {
  /** Id of the request, as far as the agent sends one. */
  id: string;
  /** Epoch ms, by the clock of its reports. */
  at: number;
  part: string;
  for: "permission" | "answer";
  question?: string;
  /** `event` is the call that needs the permission or answer. `turn` is the turn of the request. */
  event?: string;
  turn?: string;
  /** True if the agent waits for the next prompt. */
  afterTurn?: true;
  /**
   * True if the request has no id and no known call. Any later report from a hook then shows that the request is no
   * longer open.
   */
  loose?: true;
}

/** Maximum characters of a stored question. */
const QUESTION = 2_000;
/** Maximum length of input that is parsed as JSON. Longer input is displayed unparsed. */
const READ = 16_384;

/** Returns the displayed text of a request: the command; otherwise the tool and its target; otherwise the question. */
function questionOf({ name, args }: Pick<Observation, "name" | "args">): string | undefined {
  const text = args?.text;
  if (text === undefined) return name;
  const { command, file_path, path, url } = membersOf(text);
  const said = wordsOf(command) ?? inFrontOf(name, wordsOf(file_path) ?? wordsOf(path) ?? wordsOf(url) ?? text);
  // Strings from parsed JSON may contain characters that PostgreSQL cannot store.
  return cleanText([...said.slice(0, 2 * QUESTION)].slice(0, QUESTION).join(""), { replaced: 0 });
}

const inFrontOf = (name: string | undefined, rest: string): string => (name === undefined ? rest : `${name} ${rest}`);

/** Returns a text, or joins the words of a command that is a list. */
const wordsOf = (value: unknown): string | undefined => {
  if (typeof value === "string" && value !== "") return value;
  return Array.isArray(value) && value.every((each) => typeof each === "string") ? value.join(" ") : undefined;
};

function membersOf(text: string): Record<string, unknown> {
  if (text.length > READ || !text.startsWith("{")) return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Finds the requests that no other observation answers, by session. */
export function findOpenRequests(
  kept: readonly PlacedObservation[],
  drafts: ReadonlyMap<string, EventDraft>,
): Map<string, UserRequest[]> {
  const waits = new Map<string, UserRequest[]>();
  const asking = kept
    .filter(({ observation }) => observation.waits)
    .sort((a, b) => timeOf(a.observation) - timeOf(b.observation));
  if (asking.length === 0) return waits;
  const taken = new Set<string>();
  const answered = asking.filter(({ observation }) => observation.waits?.over);
  for (const each of asking) {
    const wait = each.observation.waits?.over ? undefined : waitOf(each, drafts, taken);
    if (!wait || answered.some((answer) => answers(answer, each, wait))) continue;
    const own = waits.get(each.session_id) ?? [];
    waits.set(each.session_id, own);
    own.push(wait);
  }
  return waits;
}

const timeOf = ({ startedAt, endedAt }: Observation): number => startedAt ?? endedAt ?? 0;

const answers = (answer: PlacedObservation, asked: PlacedObservation, { at }: UserRequest): boolean =>
  answer.session_id === asked.session_id &&
  answer.observation.waits?.id === asked.observation.waits?.id &&
  timeOf(answer.observation) >= at;

/**
 * Returns a request to the user; undefined if the call that the request concerns has ended. If several calls are equal,
 * each request takes the first call that no earlier request has taken.
 */
function waitOf(
  { observation, session_id, part }: PlacedObservation,
  drafts: ReadonlyMap<string, EventDraft>,
  taken: Set<string>,
): UserRequest | undefined {
  const { waits, turn } = observation;
  if (!waits) return undefined;
  const [at, question] = [timeOf(observation), questionOf(observation)];
  const calls = callsOf(observation, session_id, question, drafts);
  const own = calls.find(([id, { facts }]) => !taken.has(id) && (!facts.ended || (eventEnd(facts) ?? at) >= at));
  if (own) taken.add(own[0]);
  if (calls.length > 0 && (!own || own[1].facts.ended)) return undefined;
  return {
    id: waits.id ?? waits.call ?? String(at),
    at,
    part,
    for: waits.for,
    ...(question !== undefined && { question }),
    ...(own && { event: own[0] }),
    ...(turn !== undefined && { turn: toTurnId(session_id, turn) }),
    ...(waits.afterTurn && { afterTurn: true as const }),
    ...(!own && waits.id === undefined && { loose: true as const }),
  };
}

/**
 * Returns the calls that a request may concern: the named call, otherwise the calls with the same name and the same
 * displayed input.
 */
function callsOf(
  { name, waits }: Observation,
  session: string,
  question: string | undefined,
  drafts: ReadonlyMap<string, EventDraft>,
): [string, EventDraft][] {
  if (waits?.call !== undefined) {
    const id = toCallId(session, waits.call);
    const draft = drafts.get(id);
    return draft ? [[id, draft]] : [];
  }
  if (name === undefined) return [];
  return [...drafts]
    .filter(
      ([, { facts, session_id }]) =>
        session_id === session && facts.kind === "tool" && facts.name === name && questionOf(facts) === question,
    )
    .sort(([, a], [, b]) => (eventStart(a.facts) ?? 0) - (eventStart(b.facts) ?? 0));
}
