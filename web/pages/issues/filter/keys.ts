import { parseDay } from "../../../../formats/moments.ts";
import type { IssueFilter, IssueGroupBy, NullableUserFilter } from "../../../data/documents.ts";
import type { TrackerIconName } from "../../../parts/drawings.tsx";
import { buildPlanningFilterKey } from "./plan.ts";

/** Key that issues can be filtered by. */
export interface FilterKey {
  name: string;
  /** Description, shown beside the name. */
  says: string;
  icon: TrackerIconName;
  /**
   * Grouping of issues whose group names are suggested as values of the key. The server counts the issues of each
   * value.
   */
  groups?: IssueGroupBy;
  /** Values that are always suggested. */
  values?: readonly string[];
  /** Returns the filter for a value; undefined for an invalid value. */
  filter: (value: string) => IssueFilter | undefined;
  /** Returns the filter that excludes a value. */
  others: (value: string) => IssueFilter | undefined;
}

/** Types of states that close an issue. */
export const CLOSED_STATE_TYPES = ["completed", "canceled", "duplicate"];
/** Types of states, in the order of work. */
export const WORKFLOW_STATE_TYPES = ["triage", "backlog", "unstarted", "started", ...CLOSED_STATE_TYPES];
/** Names of the priorities in filters, indexed by priority. */
const PRIORITY_WORDS = ["none", "urgent", "high", "medium", "low"];

const NOBODY = ["nobody", "none"];

type Person = "assignee" | "delegate" | "creator";

const named = (value: string): NullableUserFilter =>
  value === "me"
    ? { isMe: { eq: true } }
    : { or: [{ name: { eqIgnoreCase: value } }, { email: { eqIgnoreCase: value } }] };

const unnamed = (value: string): NullableUserFilter =>
  value === "me" ? { isMe: { eq: false } } : { name: { neqIgnoreCase: value }, email: { neqIgnoreCase: value } };

const buildUserKey = (name: Person, says: string, icon: TrackerIconName): FilterKey => ({
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

/** Parses yes or no; undefined for any other value. */
function parseYesNo(value: string): boolean | undefined {
  if (/^(yes|true)$/.test(value)) return true;
  return /^(no|false)$/.test(value) ? false : undefined;
}

function flag(name: "blocked" | "ready", says: string, icon: TrackerIconName): FilterKey {
  const filter = (value: string, is: boolean) => {
    const eq = parseYesNo(value);
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

/** Parses a condition on a time: `7d` or `>7d` for the last seven days, `<7d` for earlier, or a day. */
function parseTimeCondition(value: string): { gte: string } | { lt: string } | undefined {
  const [, sign = "", count, unit, day] = /^([<>]?)(?:(\d{1,5})([hdwmy])|(\d{4}-\d\d-\d\d))$/.exec(value) ?? [];
  if (day ? !parseDay(day) : !count) return undefined;
  const at = day ?? (unit === "h" ? `-PT${count}H` : `-P${count}${unit?.toUpperCase()}`);
  return sign === "<" ? { lt: at } : { gte: at };
}

const MOMENTS = ["1d", "7d", "30d", "<30d"];

function buildTimeKey(
  name: string,
  says: string,
  of: (at: { gte: string } | { lt: string }) => IssueFilter,
): FilterKey {
  const opposite = (at: { gte: string } | { lt: string }) => ("gte" in at ? { lt: at.gte } : { gte: at.lt });
  const filter = (value: string, turned: typeof opposite) => {
    const at = parseTimeCondition(value);
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

/** Filter keys, in the order of the suggestions. */
export const FILTER_KEYS: readonly FilterKey[] = [
  {
    name: "team",
    says: "key of the team, such as ENG",
    icon: "user",
    groups: "team",
    filter: (value) => ({ team: { key: { eqIgnoreCase: value } } }),
    others: (value) => ({ team: { key: { neqIgnoreCase: value } } }),
  },
  {
    name: "state",
    says: "open, closed, a state type or a state name",
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
    says: "name of a label, or none",
    icon: "tag",
    groups: "label",
    values: ["none"],
    filter: (value) =>
      value === "none" ? { labels: { length: { eq: 0 } } } : { labels: { some: { name: { eqIgnoreCase: value } } } },
    others: (value) =>
      value === "none" ? { labels: { length: { gt: 0 } } } : { labels: { every: { name: { neqIgnoreCase: value } } } },
  },
  buildUserKey("assignee", "user assigned to the issue", "user"),
  buildUserKey("delegate", "agent that the issue is delegated to", "hand"),
  {
    name: "holder",
    says: "user or agent that claimed the issue",
    icon: "user",
    groups: "holder",
    values: ["me", "nobody"],
    filter: (value) => ({ lease: NOBODY.includes(value) ? { null: true } : { holder: named(value) } }),
    others: (value) =>
      NOBODY.includes(value)
        ? { lease: { null: false } }
        : { or: [{ lease: { null: true } }, { lease: { holder: unnamed(value) } }] },
  },
  buildPlanningFilterKey("project", "project", "project of the issue", "board"),
  buildPlanningFilterKey("milestone", "projectMilestone", "milestone of the issue", "milestone"),
  {
    name: "cycle",
    says: "number or name of a cycle, current, next or none",
    icon: "cycle",
    groups: "cycle",
    values: ["current", "next", "none"],
    filter: (value) => ({ cycle: cycleFilter(value) }),
    others: (value) =>
      value === "none" ? { cycle: { null: false } } : { or: [{ cycle: { null: true } }, { cycle: otherCycle(value) }] },
  },
  buildUserKey("creator", "user who created the issue", "user"),
  buildTimeKey("created", "7d or a date, and later; <7d for earlier", (createdAt) => ({ createdAt })),
  buildTimeKey("updated", "7d or a date, and later; <7d for earlier", (updatedAt) => ({ updatedAt })),
  buildTimeKey("closed", "7d or a date, and later; <7d for earlier", (at) => ({
    or: [{ completedAt: at }, { canceledAt: at }],
  })),
  flag("blocked", "blocked by an open issue", "canceled"),
  flag("ready", "not started, not blocked and not claimed", "completed"),
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
    says: "session: the issue has a recorded session",
    icon: "list",
    values: ["session"],
    filter: (value) => (value === "session" ? { hasSessions: { eq: true } } : undefined),
    others: (value) => (value === "session" ? { hasSessions: { eq: false } } : undefined),
  },
];

function stateFilter(value: string, not: boolean): IssueFilter | undefined {
  if (value === "all") return not ? undefined : {};
  const ends =
    value === "closed"
      ? CLOSED_STATE_TYPES
      : value === "open"
        ? WORKFLOW_STATE_TYPES.filter((type) => !CLOSED_STATE_TYPES.includes(type))
        : undefined;
  const types = ends ?? (WORKFLOW_STATE_TYPES.includes(value) ? [value] : undefined);
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

/** Returns a filter key by name. */
export const findFilterKey = (name: string): FilterKey | undefined => FILTER_KEYS.find((each) => each.name === name);
