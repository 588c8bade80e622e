import { z } from "zod";
import { isUuid } from "../../../formats/uuid.ts";
import { inputError, notFound } from "../../errors.ts";
import type { ComputedValue, SqlRow } from "../../read/entity.ts";
import { comparisonSql } from "../../read/filter/compare.ts";
import { bindOrganization, columnSql, createStatementBuild, readTableSql } from "../../read/row.ts";
import type { MutationResult, WriteContext } from "../../write/write.ts";
import { linkTo, timestampSchema } from "../fields.ts";
import { LIMIT_NAMES } from "../lease/fence.ts";
import { defineInputMutation, type Resource } from "../resource.ts";
import { entriesSql, isDoneOrSnoozedSql, markSql } from "./entries.ts";

/** Maximum characters of a question. */
const QUESTION_CHARS = 2_000;

/**
 * Raw SQL: the question or message of an entry. The SQL runs only for the entries of a page: reading the texts of
 * thousands of entries before sorting would take most of the time of a request.
 */
function questionOf(entry: SqlRow): string {
  const { build } = entry;
  const own = bindOrganization(build);
  const of = (name: string) => columnSql(entry, name);
  build.reads.add("recorded_session").add("recorded_failure_group");
  const issue = `${readTableSql(build, "issue")} i where i."organizationId" = ${own} and i.id = ${of("issueId")}`;
  const comment = `select c.body from ${readTableSql(build, "comment")} c where c."organizationId" = ${own} and c.id = ${of("commentId")}`;
  const limit = `select case l."trippedBy" ${Object.entries(LIMIT_NAMES)
    .map(([name, words]) => `when '${name}' then '${words}'`)
    .join(
      " ",
    )} end from ${readTableSql(build, "issueLease")} l where l."organizationId" = ${own} and l.id = ${of("issueId")}`;
  return `left(case ${of("type")}
    when 'leaseExpired' then (select i.title from ${issue})
    when 'issueAssigned' then (select i.title from ${issue})
    when 'issueMentioned' then coalesce((${comment}), (select i.description from ${issue}))
    when 'limitReached' then 'Limit of ' || (${limit}) || ': ' || (select i.title from ${issue})
    when 'failureNew' then ${failure(own, of("failureGroupId"))}
    when 'failureBack' then ${failure(own, of("failureGroupId"))}
    else (select s.waits_for from recorded_session s where s.organization_id = ${own} and s.session_id = ${of("sessionId")}) end, ${QUESTION_CHARS})`;
}

const failure = (own: string, id: string): string =>
  `(select g.tool || ': ' || g.message from recorded_failure_group g where g.organization_id = ${own} and g.group_id = ${id})`;

/** Maximum number of entries per mutation. */
const MOST_MARKED = 250;

/** A user's marks on entries. An absent mark stays unchanged. */
const InboxEntryUpdateInput = z.strictObject({
  read: z.boolean().nullish(),
  done: z.boolean().nullish(),
  snoozedUntilAt: timestampSchema.nullish(),
});

/**
 * Raw SQL, because entries have no table. Sets or clears the time of each mark in the input. Several entries may have
 * the same id, because clients choose session ids and may choose the id of another subject. In this case only the
 * latest entry is marked.
 */
const writeSql = (entries: string, from: number): string => {
  const [organization, user, now, ids, read, done, isSnoozed, until] = Array.from(
    { length: 8 },
    (_, at) => `$${from + at + 1}`,
  );
  const marked = (mark: string | undefined, column: string) =>
    `case when ${mark}::boolean is null then m."${column}" when ${mark} then coalesce(m."${column}", ${now}::timestamptz) end`;
  return `insert into "inboxState" as t ("organizationId", "userId", id, since, "readAt", "doneAt", "snoozedUntilAt", "updatedAt")
    select distinct on (e.id) ${organization}::uuid, ${user}::uuid, e.id, e."createdAt", ${marked(read, "readAt")}, ${marked(done, "doneAt")},
      case when ${isSnoozed}::boolean then ${until}::timestamptz else m."snoozedUntilAt" end, ${now}::timestamptz
    from (${entries}) e left join "inboxState" m on m."organizationId" = ${organization}::uuid and m."userId" = ${user}::uuid
      and m.id = e.id and m.since = e."createdAt"
    where e.id = any(${ids}::uuid[]) order by e.id, e."createdAt" desc
    on conflict ("organizationId", "userId", id) do update set since = excluded.since, "readAt" = excluded."readAt",
      "doneAt" = excluded."doneAt", "snoozedUntilAt" = excluded."snoozedUntilAt", "updatedAt" = excluded."updatedAt"
    returning id`;
};

/**
 * Marks entries of the caller's inbox as read, done or snoozed, or removes the marks. An entry that returns counts as
 * a new entry without marks.
 * @throws notFound for an entry that does not exist, or no longer exists
 */
async function inboxEntryUpdate(
  write: WriteContext,
  { read, done, snoozedUntilAt }: z.infer<typeof InboxEntryUpdateInput>,
  { ids }: { ids: readonly string[] },
): Promise<MutationResult> {
  if (ids.length === 0 || ids.length > MOST_MARKED) throw inputError(`ids takes 1 to ${MOST_MARKED} ids`, "ids");
  const unknown = ids.find((id) => !isUuid(id));
  if (unknown !== undefined) throw notFound("inbox entry", unknown);
  const { organizationId, userId } = write.scope;
  const build = createStatementBuild(write.model, []);
  const entries = entriesSql(build);
  const reach = build.getters.map((get) => get({ scope: write.scope, args: [] }));
  const marks = [read ?? null, done ?? null, snoozedUntilAt !== undefined, snoozedUntilAt ?? null];
  const rows = await write.trx.query<{ id: string }>({
    text: writeSql(entries, reach.length),
    values: [...reach, organizationId, userId, write.at, [...new Set(ids)], ...marks],
  });
  const found = new Set(rows.map(({ id }) => id));
  const missing = ids.find((id) => !found.has(id.toLowerCase()));
  if (missing !== undefined) throw notFound("inbox entry", missing);
  write.direct = true;
  return {};
}

const mark = (name: string): ComputedValue => ({ type: "timestamp", sql: (row) => markSql(row, name) });

/** A subject that waits for a user. Entries are computed from current data; only the user's marks are stored. */
export const inboxEntryResource: Resource = {
  entity: {
    name: "InboxEntry",
    table: "",
    columns: {
      id: "uuid",
      type: "text",
      createdAt: "timestamp",
      updatedAt: "timestamp",
    },
    internal: {
      sessionId: "uuid",
      eventId: "uuid",
      issueId: "uuid",
      failureGroupId: "uuid",
      commentId: "uuid",
      holderId: "uuid",
    },
    computed: {
      question: { type: "text", sql: questionOf },
      readAt: mark("readAt"),
      doneAt: mark("doneAt"),
      snoozedUntilAt: mark("snoozedUntilAt"),
    },
    hidden: isDoneOrSnoozedSql,
    one: {
      session: linkTo("RecordedSession", "sessionId"),
      event: linkTo("RecordedEvent", "eventId"),
      issue: linkTo("Issue", "issueId"),
      failureGroup: linkTo("RecordedFailureGroup", "failureGroupId"),
      comment: linkTo("Comment", "commentId"),
      holder: linkTo("User", "holderId"),
    },
    filters: {
      type: (row, argument) => comparisonSql(row.build, { sql: columnSql(row, "type"), type: "text" }, argument),
    },
  },
  many: { inbox: { entity: "InboxEntry", rows: ({ build }) => entriesSql(build), oldestFirst: true } },
  mutations: {
    inboxEntryUpdate: defineInputMutation("member", InboxEntryUpdateInput, inboxEntryUpdate),
  },
};
