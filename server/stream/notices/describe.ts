import type { Database } from "../../../db/open.ts";
import { getOwnProperty } from "../../../formats/own.ts";
import { plainLine } from "../../mail/mail.ts";
import type { NoticeBatch, NoticeSubject } from "./firing.ts";

/** A notice in readable text. */
export interface NoticeDescription {
  title: string;
  /** The page of the notice's subject. */
  url: string | null;
  /** Recorded text; null unless the rule includes text. */
  text: string | null;
}

interface Names {
  rule: string;
  urlKey: string;
  issues: Record<string, { identifier: string; title: string } | undefined>;
  sessions: Record<string, { question: string | null; source: string | null } | undefined>;
  groups: Record<string, { tool: string; message: string } | undefined>;
}

/** Maximum characters of a title, of a name, and of recorded text. */
const MOST = { title: 120, name: 80, text: 1_000 };

/** Reads the names of the notices' subjects. Raw SQL: JSON of rows of four tables, each found by its key. */
const NAMES = `select r.name as rule, o."urlKey",
    (select coalesce(json_object_agg(i.id, json_build_object('identifier', t.key || '-' || i.number, 'title', i.title)), '{}')
      from issue i join team t on t."organizationId" = $1 and t.id = i."teamId"
      where i."organizationId" = $1 and i.id = any($3::uuid[])) as issues,
    (select coalesce(json_object_agg(s.session_id, json_build_object('question', left(s.waits_for, ${MOST.text}), 'source', s.source)), '{}')
      from recorded_session s where s.organization_id = $1 and s.session_id = any($4::uuid[])) as sessions,
    (select coalesce(json_object_agg(g.group_id, json_build_object('tool', g.tool, 'message', left(g.message, ${MOST.text}))), '{}')
      from recorded_failure_group g where g.organization_id = $1 and g.group_id = any($5::uuid[])) as groups
  from "noticeRule" r join organization o on o.id = $1 where r."organizationId" = $1 and r.id = $2`;

/** A message in readable text: the rule's name and each of its notices. */
export interface NoticeMessage {
  rule: string;
  notices: NoticeDescription[];
  more: number;
}

/**
 * Describes notices in readable text. Titles of issues and names of tools stand in quotation marks on one
 * line. Recorded text appears only in `text`, and only with `includeText`. A deleted issue is described as
 * "A deleted issue".
 */
export async function buildNoticeMessage(
  db: Database,
  ids: { organizationId: string; ruleId: string; publicUrl: string; includeText: boolean },
  { notices, more }: NoticeBatch,
): Promise<NoticeMessage> {
  const { organizationId, ruleId, publicUrl, includeText } = ids;
  const idsOf = (member: "issueId" | "sessionId" | "failureGroupId") =>
    notices.flatMap(({ subject }) => subject[member] ?? []);
  const values = [organizationId, ruleId, idsOf("issueId"), idsOf("sessionId"), idsOf("failureGroupId")];
  const [names] = await db.query<Names>({ name: "notice-names", text: NAMES, values });
  const known = names ?? { rule: "", urlKey: "", issues: {}, sessions: {}, groups: {} };
  const base = `${publicUrl}/${known.urlKey}`;
  const described = notices.map(({ event, state, value, subject }) => ({
    title: `${state === "resolved" ? "Resolved: " : ""}${titleOf(event, value, subject, known)}`,
    url: pathOf(subject, known, base),
    text: includeText ? textOf(subject, known) : null,
  }));
  return { rule: plainLine(known.rule, MOST.name), notices: described, more };
}

const quoted = (text: string, most: number): string => `“${plainLine(text, most)}”`;
const dollars = (cost = 0): string => `$${cost.toFixed(2)}`;

const STATES: Readonly<Record<string, string>> = {
  waitingForPermission: "is waiting for permission",
  waitingForAnswer: "is waiting for an answer",
  stuck: "is stuck",
  looping: "repeats the same calls",
  failed: "failed",
  ended: "ended",
};

function titleOf(event: string, value: string, subject: NoticeSubject, names: Names): string {
  const tool = quoted(
    subject.tool ?? getOwnProperty(names.groups, subject.failureGroupId ?? "")?.tool ?? "a tool",
    MOST.name,
  );
  const source = getOwnProperty(names.sessions, subject.sessionId ?? "")?.source;
  const session = source ? `A session of ${plainLine(source, MOST.name)}` : "A session";
  const [stem] = event.split(".");
  if (event === "test") return "This is a test notice";
  if (event === "session.cost") return `${session} has cost ${dollars(subject.cost)}`;
  if (stem === "session") return `${session} ${getOwnProperty(STATES, value.split(" ")[0] ?? "") ?? "changed"}`;
  if (stem === "day") return `The sessions of ${subject.day} have cost ${dollars(subject.cost)}`;
  if (event === "failureGroup.new") return `New failure of ${tool}`;
  if (event === "failureGroup.back") return `A failure of ${tool} is back`;
  if (stem === "tool") return `${tool} failed in ${subject.failures} of ${subject.calls} calls`;
  const issue = getOwnProperty(names.issues, subject.issueId ?? "");
  const named = issue ? `${issue.identifier} ${quoted(issue.title, MOST.title)}` : "A deleted issue";
  return event === "issue.leaseExpired"
    ? `The lease of ${named} expired`
    : `${named} is in ${quoted(subject.state ?? "", MOST.name)}`;
}

function pathOf(subject: NoticeSubject, { issues }: Names, base: string): string | null {
  const { sessionId, eventId, issueId, failureGroupId, tool } = subject;
  const issue = getOwnProperty(issues, issueId ?? "");
  if (issue) return `${base}/issue/${issue.identifier}`;
  if (sessionId) return `${base}/sessions/${sessionId}${eventId ? `?event=${eventId}` : ""}`;
  if (tool && !failureGroupId) return `${base}/tools/${encodeURIComponent(tool)}`;
  return null;
}

function textOf({ sessionId, failureGroupId }: NoticeSubject, { sessions, groups }: Names): string | null {
  const text =
    getOwnProperty(sessions, sessionId ?? "")?.question ??
    getOwnProperty(groups, failureGroupId ?? "")?.message ??
    null;
  return text === null ? null : visible(text);
}

/** Keeps line breaks, but removes other control and format characters, which could change how text is shown. */
const visible = (text: string): string => text.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Surrogate}]/gu, "").slice(0, MOST.text);
