import { parseDay } from "../../../../formats/moments.ts";
import type { IssueFilter, IssueGroupBy, NullableUserFilter } from "../../../data/documents.ts";
import type { DrawingName } from "../../../parts/drawings.tsx";
import { plan } from "./plan.ts";

/** A key that issues are filtered by. */
export interface FilterKey {
  name: string;
  /** The sense of it, beside its name. */
  says: string;
  icon: DrawingName;
  /** The grouping whose names are values of it, with how many issues have each. */
  groups?: IssueGroupBy;
  /** Values that are always offered. */
  values?: readonly string[];
  /** The filter for a value; undefined for one that says nothing. */
  filter: (value: string) => IssueFilter | undefined;
  /** The filter for all others. */
  others: (value: string) => IssueFilter | undefined;
}

/** Types of states that end an issue. */
export const OVER = ["completed", "canceled", "duplicate"];
/** Types of states, in the order of work. */
export const TYPES = ["triage", "backlog", "unstarted", "started", ...OVER];
/** The names of priorities in filters, by their numbers. */
const PRIORITY_WORDS = ["none", "urgent", "high", "medium", "low"];

const NOBODY = ["nobody", "none"];

type Person = "assignee" | "delegate" | "creator";

const named = (value: string): NullableUserFilter =>
  value === "me"
    ? { isMe: { eq: true } }
    : { or: [{ name: { eqIgnoreCase: value } }, { email: { eqIgnoreCase: value } }] };

const unnamed = (value: string): NullableUserFilter =>
  value === "me" ? { isMe: { eq: false } } : { name: { neqIgnoreCase: value }, email: { neqIgnoreCase: value } };

const person = (name: Person, says: string, icon: DrawingName): FilterKey => ({
  name,
  says,
  icon,
  groups: name,
  values: ["me", "nobody"],
  filter: (value) => ({ [name]: NOBODY.includes(value) ? { null: true } : named(value) }),
  others: (value) =>
    NOBODY.includes(value)
      ? { [name]: { null: false } }
      : { or: [{ [name]: { null: true } }, { [name]: unnamed(value) }] },
});

/** Yes or no. */
function told(value: string): boolean | undefined {
  if (/^(yes|true)$/.test(value)) return true;
  return /^(no|false)$/.test(value) ? false : undefined;
}

function flag(name: "blocked" | "ready", says: string, icon: DrawingName): FilterKey {
  const filter = (value: string, is: boolean) => {
    const eq = told(value);
    return eq === undefined ? undefined : { [name]: { eq: eq === is } };
  };
  return {
    name,
    says,
    icon,
    values: ["yes", "no"],
    filter: (value) => filter(value, true),
    others: (value) => filter(value, false),
  };
}

/** Conditions on a moment: `7d` or `>7d` since then, `<7d` before, or a day. */
function timed(value: string): { gte: string } | { lt: string } | undefined {
  const [, sign = "", count, unit, day] = /^([<>]?)(?:(\d{1,5})([hdwmy])|(\d{4}-\d\d-\d\d))$/.exec(value) ?? [];
  if (day ? !parseDay(day) : !count) return undefined;
  const at = day ?? (unit === "h" ? `-PT${count}H` : `-P${count}${unit?.toUpperCase()}`);
  return sign === "<" ? { lt: at } : { gte: at };
}

const MOMENTS = ["1d", "7d", "30d", "<30d"];

function moment(name: string, says: string, of: (at: { gte: string } | { lt: string }) => IssueFilter): FilterKey {
  const opposite = (at: { gte: string } | { lt: string }) => ("gte" in at ? { lt: at.gte } : { gte: at.lt });
  const filter = (value: string, turned: typeof opposite) => {
    const at = timed(value);
    return at && of(turned(at));
  };
  return {
    name,
    says,
    icon: "calendar",
    values: MOMENTS,
    filter: (value) => filter(value, (at) => at),
    others: (value) => filter(value, opposite),
  };
}

const isNumber = (value: string): boolean => /^\d{1,9}$/.test(value);

/** The keys, in the order in which they are offered. */
export const KEYS: readonly FilterKey[] = [
  {
    name: "team",
    says: "its key, such as ENG",
    icon: "user",
    groups: "team",
    filter: (value) => ({ team: { key: { eqIgnoreCase: value } } }),
    others: (value) => ({ team: { key: { neqIgnoreCase: value } } }),
  },
  {
    name: "state",
    says: "open, closed, a type or a name",
    icon: "started",
    groups: "state",
    values: ["open", "closed", "all"],
    filter: (value) => stateFilter(value, false),
    others: (value) => stateFilter(value, true),
  },
  {
    name: "priority",
    says: "urgent, high, medium, low or none",
    icon: "high",
    values: [...PRIORITY_WORDS.slice(1), "none"],
    filter: (value) => priorityFilter(value, "eq"),
    others: (value) => priorityFilter(value, "neq"),
  },
  {
    name: "label",
    says: "one of its labels",
    icon: "tag",
    groups: "label",
    values: ["none"],
    filter: (value) =>
      value === "none" ? { labels: { length: { eq: 0 } } } : { labels: { some: { name: { eqIgnoreCase: value } } } },
    others: (value) =>
      value === "none" ? { labels: { length: { gt: 0 } } } : { labels: { every: { name: { neqIgnoreCase: value } } } },
  },
  person("assignee", "who is to do it", "user"),
  person("delegate", "the agent that it is delegated to", "hand"),
  {
    name: "holder",
    says: "who holds the claim",
    icon: "user",
    groups: "holder",
    values: ["me", "nobody"],
    filter: (value) => ({ lease: NOBODY.includes(value) ? { null: true } : { holder: named(value) } }),
    others: (value) =>
      NOBODY.includes(value)
        ? { lease: { null: false } }
        : { or: [{ lease: { null: true } }, { lease: { holder: unnamed(value) } }] },
  },
  plan("project", "project", "the project that it belongs to", "board"),
  plan("milestone", "projectMilestone", "the milestone that it is planned for", "milestone"),
  {
    name: "cycle",
    says: "a number or a name, current or next",
    icon: "cycle",
    groups: "cycle",
    values: ["current", "next", "none"],
    filter: (value) => ({ cycle: cycleFilter(value) }),
    others: (value) =>
      value === "none" ? { cycle: { null: false } } : { or: [{ cycle: { null: true } }, { cycle: otherCycle(value) }] },
  },
  person("creator", "who created it", "user"),
  moment("created", "since 7d or a day; <7d is before", (createdAt) => ({ createdAt })),
  moment("updated", "since 7d or a day; <7d is before", (updatedAt) => ({ updatedAt })),
  moment("closed", "since 7d or a day; <7d is before", (at) => ({ or: [{ completedAt: at }, { canceledAt: at }] })),
  flag("blocked", "an open issue blocks it", "canceled"),
  flag("ready", "it can be begun", "completed"),
  {
    name: "proof",
    says: "verified, unproven, contradicted or none",
    icon: "verified",
    values: ["verified", "unproven", "contradicted", "none"],
    filter: (value) => ({ proof: value === "none" ? { null: true } : { verdict: { eq: value } } }),
    others: (value) =>
      value === "none"
        ? { proof: { null: false } }
        : { or: [{ proof: { null: true } }, { proof: { verdict: { neq: value } } }] },
  },
  {
    name: "has",
    says: "a recorded session",
    icon: "list",
    values: ["session"],
    filter: (value) => (value === "session" ? { hasSessions: { eq: true } } : undefined),
    others: (value) => (value === "session" ? { hasSessions: { eq: false } } : undefined),
  },
];

function stateFilter(value: string, not: boolean): IssueFilter | undefined {
  if (value === "all") return not ? undefined : {};
  const ends = value === "closed" ? OVER : value === "open" ? TYPES.filter((type) => !OVER.includes(type)) : undefined;
  const types = ends ?? (TYPES.includes(value) ? [value] : undefined);
  if (types) return { state: { type: not ? { nin: types } : { in: types } } };
  return { state: { name: not ? { neqIgnoreCase: value } : { eqIgnoreCase: value } } };
}

function priorityFilter(value: string, verb: "eq" | "neq"): IssueFilter | undefined {
  const at = PRIORITY_WORDS.indexOf(value.toLowerCase());
  return at < 0 ? undefined : { priority: { [verb]: at } };
}

function cycleFilter(value: string) {
  if (value === "none") return { null: true };
  if (value === "current") return { isActive: { eq: true } };
  if (value === "next") return { isNext: { eq: true } };
  return isNumber(value) ? { number: { eq: Number(value) } } : { name: { eqIgnoreCase: value } };
}

function otherCycle(value: string) {
  if (value === "current") return { isActive: { eq: false } };
  if (value === "next") return { isNext: { eq: false } };
  return isNumber(value) ? { number: { neq: Number(value) } } : { name: { neqIgnoreCase: value } };
}

/** A key by its name. */
export const keyOf = (name: string): FilterKey | undefined => KEYS.find((each) => each.name === name);
