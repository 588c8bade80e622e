import type { InboxQuery } from "../../data/documents.ts";
import { ICON_PATHS } from "../../parts/icons.tsx";
import { formatPlural } from "../../parts/texts/format.ts";
import { FAILURE_STATE_STYLES } from "../failures/marks.tsx";

/** Inbox entry as read for the list. */
export type InboxEntry = InboxQuery["inbox"]["nodes"][number];

/** Types of entries that stop an agent. */
const STOPPED: readonly InboxEntry["type"][] = [
  "waitingForPermission",
  "waitingForAnswer",
  "stuck",
  "looping",
  "limitReached",
];

export const stopsAgent = ({ type }: InboxEntry): boolean => STOPPED.includes(type);

/** Types of entries that report a failure. */
const WRONG: readonly InboxEntry["type"][] = ["failureNew", "failureBack", "limitReached"];

/** Returns the color class of an entry's icon. */
export const getEntryColorClass = ({ type }: InboxEntry): string =>
  WRONG.includes(type) ? "c-fail" : STOPPED.includes(type) ? "c-run" : "dim";

/** Returns the heading of an entry's group. Entries with a stopped agent form the first group. */
export const getEntryGroupHeading = (entry: InboxEntry): string =>
  stopsAgent(entry) ? "Waiting for you" : "For your attention";

/** Sorts entries by group. The order within a group stays the order of time. */
export const sortByGroup = (entries: readonly InboxEntry[]): InboxEntry[] => [
  ...entries.filter(stopsAgent),
  ...entries.filter((entry) => !stopsAgent(entry)),
];

const BUBBLE = "M2.5 3h11v8H8.5l-3.2 2.7V11H2.5z";
const QUESTION = "M6.8 5.9c.1-.8.6-1.1 1.2-1.1.7 0 1.2.4 1.2 1 0 .9-1.2 1-1.2 1.9M8 9.2v.05";
const AT = "M5.5 8a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0";
const TAIL = "M10.5 5.6v3.3c0 1 .6 1.6 1.5 1.6 1.1 0 1.8-1 1.8-2.6A5.8 5.8 0 1 0 11 13";
const HEAD = "M5.3 5.5a2.7 2.7 0 1 0 5.4 0a2.7 2.7 0 1 0 -5.4 0";

/** Icon path of each type of entry. */
export const ENTRY_ICON_PATHS: Record<InboxEntry["type"], string> = {
  waitingForPermission: ICON_PATHS.lock,
  waitingForAnswer: `${BUBBLE}${QUESTION}`,
  stuck: ICON_PATHS.pause,
  looping: ICON_PATHS.retry,
  failureNew: FAILURE_STATE_STYLES.new[1],
  failureBack: FAILURE_STATE_STYLES.back[1],
  leaseExpired: ICON_PATHS.clock,
  limitReached: "M9.2 1.8 3.6 9h4l-.8 5.2L12.4 7h-4z",
  issueAssigned: `${HEAD}M3 13.7c.4-2.7 2.3-4.2 5-4.2s4.6 1.5 5 4.2`,
  issueMentioned: `${AT}${TAIL}`,
};

const agentOf = ({ session }: InboxEntry): string => session?.source ?? session?.brief.agent ?? "An agent";

const failureOf = ({ failureGroup }: InboxEntry): string => failureGroup?.message || "(no message)";

/** Returns the agent or user that caused an entry; undefined if unknown. */
export function findEntryActor({
  type,
  session,
  holder,
  comment,
}: InboxEntry): { name: string; bot: boolean } | undefined {
  if (type === "issueAssigned" || type === "issueMentioned") {
    return comment?.user ? { name: comment.user.name, bot: false } : undefined;
  }
  const name = holder?.name ?? session?.source ?? session?.brief.agent;
  return name ? { name, bot: true } : undefined;
}

const FAILURE = "Failure message";
/** Heading above the text of an inbox entry, by type of entry. */
export const ENTRY_TEXT_HEADINGS: Record<InboxEntry["type"], string> = {
  waitingForPermission: "The agent wants to run",
  waitingForAnswer: "The agent asks",
  stuck: "Message of the agent",
  looping: "Message of the agent",
  failureNew: FAILURE,
  failureBack: FAILURE,
  leaseExpired: "Issue",
  limitReached: "Limit and issue",
  issueAssigned: "Issue",
  issueMentioned: "Text that mentions you",
};

export function formatEntryTitle(entry: InboxEntry): string {
  const agent = agentOf(entry);
  const titles: Record<InboxEntry["type"], string> = {
    waitingForPermission: `${agent} is waiting for permission`,
    waitingForAnswer: `${agent} is waiting for an answer`,
    stuck: `${agent} is stuck`,
    looping: `${agent} repeats the same calls`,
    failureNew: `New failure: ${failureOf(entry)}`,
    failureBack: `Failure is back: ${failureOf(entry)}`,
    leaseExpired: `The lease of ${entry.holder?.name ?? "an agent"} expired`,
    limitReached: `The claim of ${entry.holder?.name ?? "an agent"} reached a limit`,
    issueAssigned: `Assigned to you: ${entry.issue?.title ?? "an issue"}`,
    issueMentioned: `${entry.comment?.user?.name ?? "A user"} mentioned you`,
  };
  return titles[entry.type];
}

/** Returns the second line of an entry: the question, the issue's title, or the tool and the counts of a failure. */
export function formatEntryDetail({ type, issue, question, failureGroup, session }: InboxEntry): string {
  if (failureGroup) {
    const { tool, count, sessions } = failureGroup;
    return `${tool}, ${formatPlural(count, "time")} in ${formatPlural(sessions, "session")}`;
  }
  if (type === "issueAssigned") return "";
  return question?.replaceAll(/\s+/g, " ").trim() || issue?.title || session?.brief.message || "";
}

/** Returns the label and the address of the link to an entry's subject. */
export function buildEntryLink({ issue, failureGroup, session }: InboxEntry): [name: string, href: string] | undefined {
  if (session) return ["Open session", `/sessions/${session.id}`];
  if (issue) return [`Open ${issue.identifier}`, new URL(issue.url).pathname];
  return failureGroup ? ["Open failures", `/failures/${failureGroup.id}?state=all`] : undefined;
}
