import type { InboxQuery } from "../../data/documents.ts";
import { PATHS } from "../../parts/icons.tsx";
import { plural } from "../../parts/texts/format.ts";
import { STATES } from "../failures/marks.tsx";

/** An entry of the inbox, as the list has it. */
export type Entry = InboxQuery["inbox"]["nodes"][number];

/** Entries for which an agent has stopped. */
const STOPPED: readonly Entry["type"][] = [
  "waitingForPermission",
  "waitingForAnswer",
  "stuck",
  "looping",
  "limitReached",
];

/** True for an entry that keeps an agent from going on. */
export const isStopped = ({ type }: Entry): boolean => STOPPED.includes(type);

/** Entries that say that something went wrong. */
const WRONG: readonly Entry["type"][] = ["failureNew", "failureBack", "limitReached"];

/** The class of an entry's drawing: its colour. */
export const tintOf = ({ type }: Entry): string =>
  WRONG.includes(type) ? "c-fail" : STOPPED.includes(type) ? "c-run" : "dim";

/** The group that an entry stands in: that of the agents that have stopped comes first. */
export const groupOf = (entry: Entry): string => (isStopped(entry) ? "Stopped until you act" : "For your attention");

/** The entries in the order of their groups, each in the order of time. */
export const inGroups = (entries: readonly Entry[]): Entry[] => [
  ...entries.filter(isStopped),
  ...entries.filter((entry) => !isStopped(entry)),
];

const BUBBLE = "M2.5 3h11v8H8.5l-3.2 2.7V11H2.5z";
const QUESTION = "M6.8 5.9c.1-.8.6-1.1 1.2-1.1.7 0 1.2.4 1.2 1 0 .9-1.2 1-1.2 1.9M8 9.2v.05";
const AT = "M5.5 8a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0";
const TAIL = "M10.5 5.6v3.3c0 1 .6 1.6 1.5 1.6 1.1 0 1.8-1 1.8-2.6A5.8 5.8 0 1 0 11 13";
const HEAD = "M5.3 5.5a2.7 2.7 0 1 0 5.4 0a2.7 2.7 0 1 0 -5.4 0";

/** The drawing of an entry's type. */
export const DRAWINGS: Record<Entry["type"], string> = {
  waitingForPermission: PATHS.lock,
  waitingForAnswer: `${BUBBLE}${QUESTION}`,
  stuck: PATHS.pause,
  looping: PATHS.retry,
  failureNew: STATES.new[1],
  failureBack: STATES.back[1],
  leaseExpired: PATHS.clock,
  limitReached: "M9.2 1.8 3.6 9h4l-.8 5.2L12.4 7h-4z",
  issueAssigned: `${HEAD}M3 13.7c.4-2.7 2.3-4.2 5-4.2s4.6 1.5 5 4.2`,
  issueMentioned: `${AT}${TAIL}`,
};

const agentOf = ({ session }: Entry): string => session?.source ?? session?.brief.agent ?? "An agent";

const failureOf = ({ failureGroup }: Entry): string => failureGroup?.message || "(no message)";

/** The agent or person that an entry comes from; undefined where nobody is known. */
export function whoOf({ type, session, holder, comment }: Entry): { name: string; bot: boolean } | undefined {
  if (type === "issueAssigned" || type === "issueMentioned") {
    return comment?.user ? { name: comment.user.name, bot: false } : undefined;
  }
  const name = holder?.name ?? session?.source ?? session?.brief.agent;
  return name ? { name, bot: true } : undefined;
}

/** An entry in a few words. */
export function titleOf(entry: Entry): string {
  const agent = agentOf(entry);
  const titles: Record<Entry["type"], string> = {
    waitingForPermission: `${agent} waits for permission`,
    waitingForAnswer: `${agent} waits for an answer`,
    stuck: `${agent} is stuck`,
    looping: `${agent} repeats itself`,
    failureNew: `New failure: ${failureOf(entry)}`,
    failureBack: `Back: ${failureOf(entry)}`,
    leaseExpired: `The lease of ${entry.holder?.name ?? "an agent"} ran out`,
    limitReached: `The claim of ${entry.holder?.name ?? "an agent"} reached its limit`,
    issueAssigned: `Assigned to you: ${entry.issue?.title ?? "an issue"}`,
    issueMentioned: `${entry.comment?.user?.name ?? "Somebody"} mentioned you`,
  };
  return titles[entry.type];
}

/** The second line of an entry: the question, the issue's title, or where and how often something failed. */
export function detailOf({ type, issue, question, failureGroup, session }: Entry): string {
  if (failureGroup) {
    const { tool, count, sessions } = failureGroup;
    return `${tool}, ${plural(count, "time")} in ${plural(sessions, "session")}`;
  }
  if (type === "issueAssigned") return "";
  return question?.replaceAll(/\s+/g, " ").trim() || issue?.title || session?.brief.message || "";
}

/** The address of the subject of an entry. */
export function subjectOf({ issue, failureGroup, session }: Entry): [name: string, href: string] | undefined {
  if (session) return ["Open the session", `/sessions/${session.id}`];
  if (issue) return [`Open ${issue.identifier}`, new URL(issue.url).pathname];
  return failureGroup ? ["Open the failures", `/failures/${failureGroup.id}?state=all`] : undefined;
}
