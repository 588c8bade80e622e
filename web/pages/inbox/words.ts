import type { InboxQuery } from "../../data/documents.ts";
import type { IconName } from "../../parts/icons.tsx";
import { plural } from "../../parts/texts/format.ts";

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

/** The drawing of an entry's type. */
export const ICONS: Record<Entry["type"], IconName> = {
  waitingForPermission: "lock",
  waitingForAnswer: "turn",
  stuck: "pause",
  looping: "retry",
  failureNew: "fail",
  failureBack: "fail",
  leaseExpired: "clock",
  limitReached: "pause",
  issueAssigned: "issues",
  issueMentioned: "issues",
};

const agentOf = ({ session }: Entry): string => session?.source ?? session?.brief.agent ?? "An agent";

/** An entry in a few words. */
export function titleOf(entry: Entry): string {
  const agent = agentOf(entry);
  const titles: Record<Entry["type"], string> = {
    waitingForPermission: `${agent} waits for permission`,
    waitingForAnswer: `${agent} waits for an answer`,
    stuck: `${agent} is stuck`,
    looping: `${agent} repeats itself`,
    failureNew: `New failure of ${entry.failureGroup?.tool ?? "a tool"}`,
    failureBack: `A failure of ${entry.failureGroup?.tool ?? "a tool"} is back`,
    leaseExpired: `The lease of ${entry.holder?.name ?? "an agent"} ran out`,
    limitReached: `The claim of ${entry.holder?.name ?? "an agent"} reached its limit`,
    issueAssigned: "An issue was assigned to you",
    issueMentioned: "You were mentioned",
  };
  return titles[entry.type];
}

/** The second line of an entry: the issue, the question, or the count. */
export function detailOf({ issue, question, failureGroup, session }: Entry): string {
  const what = question?.replaceAll(/\s+/g, " ").trim() || issue?.title || session?.brief.message || "";
  const count = failureGroup && `${failureGroup.count} times in ${plural(failureGroup.sessions, "session")}`;
  return [issue?.identifier, what, count].filter(Boolean).join("  ");
}

/** The address of the subject of an entry. */
export function subjectOf({ issue, failureGroup, session }: Entry): [name: string, href: string] | undefined {
  if (session) return ["Open the session", `/sessions/${session.id}`];
  if (issue) return [`Open ${issue.identifier}`, new URL(issue.url).pathname];
  return failureGroup ? ["Open the failures", `/failures/${failureGroup.id}?state=all`] : undefined;
}
