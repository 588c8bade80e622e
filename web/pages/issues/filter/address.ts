import type { IssueFilter } from "../../../data/documents.ts";
import { keyOf, OVER } from "./keys.ts";

/** One condition that the address holds: `label=bug`, or `-label=bug` for all others. */
export interface Condition {
  name: string;
  value: string;
  not: boolean;
}

/** The parameter of the words that issues are searched for. */
export const WORDS = "q";

/** The conditions of an address, in its order. */
export const conditionsOf = (search: URLSearchParams): Condition[] =>
  [...search].flatMap(([parameter, value]) => {
    const not = parameter.startsWith("-");
    const name = not ? parameter.slice(1) : parameter;
    return keyOf(name) && value ? [{ name, value, not }] : [];
  });

/** The parameter of a condition. */
const parameterOf = ({ name, not }: Pick<Condition, "name" | "not">): string => (not ? `-${name}` : name);

/** The filter of a condition; undefined where its value says nothing. */
export const filterOfCondition = ({ name, value, not }: Condition): IssueFilter | undefined =>
  keyOf(name)?.[not ? "others" : "filter"](value);

/** The base to which the conditions of an address are added. */
interface Base {
  /** The filter of a saved view. */
  view?: IssueFilter | undefined;
  /** Closed issues are shown too, unless a condition says otherwise. */
  closed: boolean;
}

/**
 * The query of an address. Conditions of one key are alternatives, those that exclude hold all. Without one on the state
 * only open issues are shown, unless a view or a board shows them.
 */
export function filterOf(search: URLSearchParams, { view, closed }: Base): IssueFilter {
  const conditions = conditionsOf(search);
  const and: IssueFilter[] = view && Object.keys(view).length > 0 ? [view] : [];
  const alternatives = new Map<string, IssueFilter[]>();
  for (const condition of conditions) {
    const filter = filterOfCondition(condition);
    if (!filter) continue;
    if (condition.not) and.push(filter);
    else alternatives.set(condition.name, [...(alternatives.get(condition.name) ?? []), filter]);
  }
  for (const filters of alternatives.values()) and.push(...(filters.length > 1 ? [{ or: filters }] : filters));
  const states = conditions.some(({ name }) => name === "state");
  if (!states && !view && !closed) and.push({ state: { type: { nin: OVER } } });
  const said = and.filter((each) => Object.keys(each).length > 0);
  return said.length === 1 ? (said[0] ?? {}) : said.length > 0 ? { and: said } : {};
}

/** The conditions and the words of a typed line: `team:ENG -label:bug "no holder"`. */
export function readTyped(text: string): { conditions: Condition[]; words: string } {
  const conditions: Condition[] = [];
  const words = text.replace(/(?<!\S)(-?)([a-z]+):(?:"([^"]*)"|(\S+))/gi, (all, minus, typed, quoted, bare) => {
    const name = typed.toLowerCase();
    const value = (quoted ?? bare).trim();
    if (!keyOf(name) || !value) return all;
    conditions.push({ name, value, not: minus === "-" });
    return " ";
  });
  return { conditions, words: words.replace(/\s+/g, " ").trim() };
}

/** The query of an address with conditions and words added; the words take the place of earlier ones. */
export function withTyped(search: URLSearchParams, { conditions, words }: ReturnType<typeof readTyped>): string {
  const next = new URLSearchParams(search);
  for (const condition of conditions) {
    const parameter = parameterOf(condition);
    // “All” says that nothing is left out: it takes the place of what was said of the state.
    if (condition.name === "state") next.delete("state");
    if (!next.has(parameter, condition.value)) next.append(parameter, condition.value);
  }
  if (words) next.set(WORDS, words);
  return next.toString();
}

/** The query of an address without a condition. */
export function without(search: URLSearchParams, condition: Condition): string {
  const next = new URLSearchParams();
  const left = parameterOf(condition);
  for (const [name, value] of search) if (name !== left || value !== condition.value) next.append(name, value);
  return next.toString();
}
