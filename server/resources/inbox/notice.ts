import type { Statement } from "../../../db/open.ts";
import { buildLowerCaseNfcSql } from "../../../db/text/canonical.ts";
import { toCanonicalText, toComparableName } from "../../../formats/names.ts";
import type { WriteContext } from "../../write/write.ts";

/** Maximum number of mentioned people per text. */
const MENTIONS = 50;
/**
 * Matches a mention: an at sign followed by a display name or an email address. An at sign inside a longer word does
 * not match.
 */
const MENTION = /(?<![\w@./-])@([\p{L}\p{N}_](?:[\p{L}\p{N}_.+@-]{0,200}[\p{L}\p{N}_])?)/gu;

/** Returns the distinct names that a text mentions, normalized for a comparison that ignores case. */
const namesIn = (text: string | null | undefined): string[] =>
  [...new Set([...toCanonicalText(text ?? "").matchAll(MENTION)].map(([, name = ""]) => toComparableName(name)))].slice(
    0,
    MENTIONS,
  );

/**
 * Raw SQL, because notices are written after the rows that they reference. Each user has one notice per subject; a
 * later notice replaces an earlier notice.
 */
const insert = (select: string): string => `insert into "inboxNotice" as n
    ("organizationId", id, type, "userId", "issueId", "commentId", "holderId", "createdAt") ${select}
  on conflict ("organizationId", id) do update set "createdAt" = excluded."createdAt", "holderId" = excluded."holderId"`;

const ASSIGNED = insert(
  `select $1::uuid, md5('assigned ' || $2 || $3)::uuid, 'issueAssigned', $2::uuid, $3::uuid, null, null, $4::timestamptz`,
);

const EXPIRED = insert(
  `select $1::uuid, md5('expired ' || $3)::uuid, 'leaseExpired', null, $3::uuid, null, $2::uuid, $4::timestamptz`,
);

const MENTIONED =
  insert(`select $1::uuid, md5('mentioned ' || u.id || $3 || coalesce($4, ''))::uuid, 'issueMentioned', u.id, $3::uuid,
    $4::uuid, null, $5::timestamptz
  from "user" u where u."organizationId" = $1 and u.active and u.id <> $2::uuid
    and (${buildLowerCaseNfcSql('u."displayName"')} = any($6::text[]) or lower(u.email) = any($6::text[])) order by u.id limit ${MENTIONS}`);

const push = (write: WriteContext, statement: Pick<Statement, "text" | "values">): void => {
  write.followUps.push({ ...statement, reads: ["user"], writes: ["inboxNotice"] });
};

/** Notifies a user who was assigned to an issue, unless the user made the assignment. */
export function notifyOfAssignment(write: WriteContext, issueId: string, userId: string | null | undefined): void {
  const { organizationId, userId: actor, system } = write.scope;
  if (!userId || system || userId === actor) return;
  push(write, { text: ASSIGNED, values: [organizationId, userId, issueId, write.at] });
}

/** Notifies everybody of an expired lease. */
export function notifyOfExpiredLease(write: WriteContext, issueId: string, holderId: string): void {
  push(write, { text: EXPIRED, values: [write.scope.organizationId, holderId, issueId, write.at] });
}

/** Notifies users who are newly mentioned in the description of an issue or in a comment. */
export function notifyOfMention(
  write: WriteContext,
  { issueId, commentId = null }: { issueId: string; commentId?: string | null },
  text: string | null | undefined,
  before?: string | null,
): void {
  const known = new Set(namesIn(before));
  const names = namesIn(text).filter((name) => !known.has(name));
  if (names.length === 0) return;
  const { organizationId, userId } = write.scope;
  push(write, { text: MENTIONED, values: [organizationId, userId, issueId, commentId, write.at, names] });
}
