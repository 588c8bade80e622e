import type { Statement } from "../../../db/open.ts";
import type { Write } from "../../write/write.ts";

/** People that one text names at most. */
const MENTIONS = 50;
/** An at sign and a display name or e-mail address, not inside of a longer word. */
const MENTION = /(?<![\w@./-])@([\p{L}\p{N}_](?:[\p{L}\p{N}_.+@-]{0,200}[\p{L}\p{N}_])?)/gu;

/** Names that a text mentions people by, in lower case, each once. */
const namesIn = (text: string | null | undefined): string[] =>
  [...new Set([...(text ?? "").matchAll(MENTION)].map(([, name = ""]) => name.toLowerCase()))].slice(0, MENTIONS);

/** Raw SQL: they are written behind the rows that they name. One notice a user and thing: a later one takes its place. */
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
    and (lower(u."displayName") = any($6::text[]) or lower(u.email) = any($6::text[])) order by u.id limit ${MENTIONS}`);

const push = (write: Write, statement: Pick<Statement, "text" | "values">): void => {
  write.followUps.push({ ...statement, reads: ["user"], writes: ["inboxNotice"] });
};

/** Tells somebody that an issue is theirs now, unless they took it themselves. */
export function noteAssigned(write: Write, issueId: string, userId: string | null | undefined): void {
  const { organizationId, userId: actor, system } = write.scope;
  if (!userId || system || userId === actor) return;
  push(write, { text: ASSIGNED, values: [organizationId, userId, issueId, write.at] });
}

/** Tells everybody that a lease ran out. */
export function noteExpired(write: Write, issueId: string, holderId: string): void {
  push(write, { text: EXPIRED, values: [write.scope.organizationId, holderId, issueId, write.at] });
}

/** Tells those whom the description of an issue, or a comment on it, mentions and did not mention before. */
export function noteMentioned(
  write: Write,
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
