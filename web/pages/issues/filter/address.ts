import type { IssueFilter } from "../../../data/documents.ts";
import { CLOSED_STATE_TYPES, findFilterKey } from "./keys.ts";

/** Filter condition in the URL: `label=bug`, or `-label=bug` to exclude the value. */
export interface FilterCondition {
  name: string;
  value: string;
  not: boolean;
}

/** URL parameter of the search words. */
export const SEARCH_PARAMETER = "q";

/** Returns the conditions of an address, in order. */
export const parseFilterConditions = (search: URLSearchParams): FilterCondition[] =>
  [...search].flatMap(([parameter, value]) => {
    const not = parameter.startsWith("-");
    const name = not ? parameter.slice(1) : parameter;
    return findFilterKey(name) && value ? [{ name, value, not }] : [];
  });

/** Returns the URL parameter of a condition. */
const parameterOf = ({ name, not }: Pick<FilterCondition, "name" | "not">): string => (not ? `-${name}` : name);

/** Converts a condition to a filter; undefined for an invalid value. */
export const toIssueFilter = ({ name, value, not }: FilterCondition): IssueFilter | undefined =>
  findFilterKey(name)?.[not ? "others" : "filter"](value);

/** Base of an issue filter, to which the conditions in the URL are added. */
interface Base {
  /** Filter of a saved view. */
  view?: IssueFilter | undefined;
  /** True to include closed issues if no condition names a state. */
  closed: boolean;
}

/**
 * Builds the issue filter for a URL. Conditions with the same key are combined with OR, and exclusions are combined
 * with AND. Without a condition on the state, the filter selects only open issues, except in a view or on a board.
 */
export function buildIssueFilter(search: URLSearchParams, { view, closed }: Base): IssueFilter {
  const conditions = parseFilterConditions(search);
  const and: IssueFilter[] = view && Object.keys(view).length > 0 ? [view] : [];
  const alternatives = new Map<string, IssueFilter[]>();
  for (const condition of conditions) {
    const filter = toIssueFilter(condition);
    if (!filter) continue;
    if (condition.not) and.push(filter);
    else alternatives.set(condition.name, [...(alternatives.get(condition.name) ?? []), filter]);
  }
  for (const filters of alternatives.values()) and.push(...(filters.length > 1 ? [{ or: filters }] : filters));
  const states = conditions.some(({ name }) => name === "state");
  if (!states && !view && !closed) and.push({ state: { type: { nin: CLOSED_STATE_TYPES } } });
  const said = and.filter((each) => Object.keys(each).length > 0);
  return said.length === 1 ? (said[0] ?? {}) : said.length > 0 ? { and: said } : {};
}

/** Parses a typed line such as `team:ENG -label:bug "no holder"` into conditions and search words. */
export function parseFilterLine(text: string): { conditions: FilterCondition[]; words: string } {
  const conditions: FilterCondition[] = [];
  const words = text.replace(/(?<!\S)(-?)([a-z]+):(?:"([^"]*)"|(\S+))/gi, (all, minus, typed, quoted, bare) => {
    const name = typed.toLowerCase();
    const value = (quoted ?? bare).trim();
    if (!findFilterKey(name) || !value) return all;
    conditions.push({ name, value, not: minus === "-" });
    return " ";
  });
  return { conditions, words: words.replace(/\s+/g, " ").trim() };
}

/** Returns the query string with added conditions and words. New words replace earlier words. */
export function addConditionsToQuery(
  search: URLSearchParams,
  { conditions, words }: ReturnType<typeof parseFilterLine>,
): string {
  const next = new URLSearchParams(search);
  for (const condition of conditions) {
    const parameter = parameterOf(condition);
    // A new condition on the state replaces earlier conditions on the state, because `state:all` contradicts them.
    if (condition.name === "state") next.delete("state");
    if (!next.has(parameter, condition.value)) next.append(parameter, condition.value);
  }
  if (words) next.set(SEARCH_PARAMETER, words);
  return next.toString();
}

/** Returns the query string without a condition. */
export function removeCondition(search: URLSearchParams, condition: FilterCondition): string {
  const next = new URLSearchParams();
  const left = parameterOf(condition);
  for (const [name, value] of search) if (name !== left || value !== condition.value) next.append(name, value);
  return next.toString();
}
