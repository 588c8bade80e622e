import { isObject } from "../../../../formats/json.ts";
import { cleanText } from "../../rules/tidy.ts";
import type { Observation } from "../observation.ts";
import { endOf, startOf } from "./event.ts";
import type { Draft, Kept } from "./facts.ts";
import { callIdOf, turnIdOf } from "./ids.ts";

/** A person's permission or answer that an agent has asked for. */
export interface KnownWait {
  /** The request, as far as the agent names it. */
  id: string;
  /** Epoch ms, by the clock of its reports. */
  at: number;
  part: string;
  for: "permission" | "answer";
  question?: string;
  /** The call that it is about, and the turn. */
  event?: string;
  turn?: string;
  /** It waits for the next prompt. */
  afterTurn?: true;
  /** No call is known that ends it: any later report of a hook does. */
  loose?: true;
}

/** Characters of a question that are kept. */
const QUESTION = 2_000;
/** A longer input is shown as it is, instead of what its members say. */
const READ = 16_384;

/** The text of what is asked: a command, else the tool and what it is to touch, else the words of a question. */
function questionOf({ name, args }: Pick<Observation, "name" | "args">): string | undefined {
  const text = args?.text;
  if (text === undefined) return name;
  const { command, file_path, path, url } = membersOf(text);
  const said = wordsOf(command) ?? inFrontOf(name, wordsOf(file_path) ?? wordsOf(path) ?? wordsOf(url) ?? text);
  // JSON may spell characters that no column takes.
  return cleanText([...said.slice(0, 2 * QUESTION)].slice(0, QUESTION).join(""), { replaced: 0 });
}

const inFrontOf = (name: string | undefined, rest: string): string => (name === undefined ? rest : `${name} ${rest}`);

/** A text, or the words of a command that is a list of them. */
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

/** The requests among observations that nothing among them answers, by session. */
export function waitsIn(kept: readonly Kept[], drafts: ReadonlyMap<string, Draft>): Map<string, KnownWait[]> {
  const waits = new Map<string, KnownWait[]>();
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

const answers = (answer: Kept, asked: Kept, { at }: KnownWait): boolean =>
  answer.session_id === asked.session_id &&
  answer.observation.waits?.id === asked.observation.waits?.id &&
  timeOf(answer.observation) >= at;

/** A request, unless the call that it is about is over. Of equal calls each request takes the first that none before it took. */
function waitOf(
  { observation, session_id, part }: Kept,
  drafts: ReadonlyMap<string, Draft>,
  taken: Set<string>,
): KnownWait | undefined {
  const { waits, turn } = observation;
  if (!waits) return undefined;
  const [at, question] = [timeOf(observation), questionOf(observation)];
  const calls = callsOf(observation, session_id, question, drafts);
  const own = calls.find(([id, { facts }]) => !taken.has(id) && (!facts.ended || (endOf(facts) ?? at) >= at));
  if (own) taken.add(own[0]);
  if (calls.length > 0 && (!own || own[1].facts.ended)) return undefined;
  return {
    id: waits.id ?? waits.call ?? String(at),
    at,
    part,
    for: waits.for,
    ...(question !== undefined && { question }),
    ...(own && { event: own[0] }),
    ...(turn !== undefined && { turn: turnIdOf(session_id, turn) }),
    ...(waits.afterTurn && { afterTurn: true as const }),
    ...(!own && waits.id === undefined && { loose: true as const }),
  };
}

/** The calls that a request may be about: the one that it names, else those of its name that would do the same. */
function callsOf(
  { name, waits }: Observation,
  session: string,
  question: string | undefined,
  drafts: ReadonlyMap<string, Draft>,
): [string, Draft][] {
  if (waits?.call !== undefined) {
    const id = callIdOf(session, waits.call);
    const draft = drafts.get(id);
    return draft ? [[id, draft]] : [];
  }
  if (name === undefined) return [];
  return [...drafts]
    .filter(
      ([, { facts, session_id }]) =>
        session_id === session && facts.kind === "tool" && facts.name === name && questionOf(facts) === question,
    )
    .sort(([, a], [, b]) => (startOf(a.facts) ?? 0) - (startOf(b.facts) ?? 0));
}
