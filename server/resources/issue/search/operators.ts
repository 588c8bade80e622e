import { limitToSupportedYears, parseDay } from "../../../../formats/moments.ts";
import { getOwnProperty } from "../../../../formats/own.ts";
import { HOUR_MS } from "../../../../formats/time.ts";
import type { CoercedArguments } from "../../resource.ts";

const OPEN = ["triage", "backlog", "unstarted", "started"];

/**
 * For each operator's key, such as `label`, a function that returns the filter for a value. The function returns
 * undefined if the key and value are ordinary words.
 */
const CONDITIONS: Readonly<Record<string, (value: string) => object | undefined>> = {
  label: (value) => ({ labels: { some: { name: { eqIgnoreCase: value } } } }),
  state: (value) => ({ state: stateOf(value.toLowerCase()) }),
  assignee: (value) => ({ assignee: personOf(value) }),
  project: (value) => ({
    project: value.toLowerCase() === "none" ? { null: true } : { name: { containsIgnoreCase: value } },
  }),
  created: (value) => createdOf(value),
  has: (value) => (/^sessions?$/i.test(value) ? { hasSessions: { eq: true } } : undefined),
};

function stateOf(value: string): object {
  if (value === "open") return { type: { in: OPEN } };
  if (value === "closed") return { type: { nin: OPEN } };
  return { or: [{ name: { eqIgnoreCase: value } }, { type: { eq: value } }] };
}

function personOf(value: string): object {
  if (value.toLowerCase() === "me") return { isMe: { eq: true } };
  if (value.toLowerCase() === "none") return { null: true };
  const begins = { startsWithIgnoreCase: value };
  return { or: [{ name: begins }, { displayName: begins }, { email: { eqIgnoreCase: value } }] };
}

const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 7 * 24, m: 30 * 24, y: 365 * 24 };

/**
 * Returns the filter for `created:`. `>7d` means created in the last seven days; `<2026-01-31` means created before
 * that day.
 */
function createdOf(value: string): object | undefined {
  const [, sign, count, unit = "", day] = /^([<>]?)(?:(\d{1,4})([hdwmy])|(\d{4}-\d{2}-\d{2}))$/.exec(value) ?? [];
  const at = day
    ? parseDay(day)
    : count &&
      limitToSupportedYears(new Date(Date.now() - Number(count) * (getOwnProperty(HOURS, unit) ?? 0) * HOUR_MS));
  if (!at) return undefined;
  const moment = at.toISOString();
  return { createdAt: sign === "<" ? { lt: moment } : { gte: moment } };
}

/**
 * Matches a known key with a value, such as `label:bug`. Also matches a quoted phrase, so that no operator is found
 * inside a phrase.
 */
const OPERATOR = new RegExp(
  `"[^"]*"|(?<!\\S)(${Object.keys(CONDITIONS).join("|")}):(?:"([^"]+)"|([^\\s"]+))(?!\\S)`,
  "gi",
);
const ISSUE_URL = /^https?:\/\/\S+\/issue\/([A-Za-z][A-Za-z0-9]{0,6}-\d{1,7})(?:[/?#]\S*)?$/;

/**
 * Returns the arguments of a search with the term's operators moved to the filter. Replaces an issue's URL by the
 * identifier.
 */
export function moveOperatorsToFilter(args: CoercedArguments): CoercedArguments {
  const conditions: object[] = [];
  const term = String(args.term).replace(OPERATOR, (part: string, key?: string, quoted?: string, bare = "") => {
    const condition = key && getOwnProperty(CONDITIONS, key.toLowerCase())?.(quoted ?? bare);
    if (!condition) return part;
    conditions.push(condition);
    return "";
  });
  if (conditions.length === 0) return { ...args, term: ISSUE_URL.exec(term.trim())?.[1] ?? term };
  return { ...args, term, filter: { and: [...(args.filter ? [args.filter] : []), ...conditions] } };
}
