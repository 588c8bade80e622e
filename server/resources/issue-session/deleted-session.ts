import { knex, toStatement } from "../../../db/builder.ts";
import { nullable } from "../../read/entity.ts";
import { columnSql, joinLink } from "../../read/row.ts";
import { updateRow } from "../../write/change.ts";
import { findRowOrThrow, findRowsOrThrow } from "../../write/find.ts";
import type { ColumnValues } from "../../write/rows.ts";
import type { MutationResult, WriteContext } from "../../write/write.ts";
import { BASE_COLUMNS, isOfTrashedTeamSql, organizationLink } from "../fields.ts";
import { changeIssue } from "../issue/change.ts";
import {
  findQuotedSessions,
  findQuotedTool,
  removeQuotations,
  removeTitleQuotation,
} from "../recorded/failures/text.ts";
import { defineIdMutation, type Resource } from "../resource.ts";

/**
 * Maximum number of comments that a transaction changes. More comments would block the organization's other writers for
 * too long.
 */
const COMMENTS = 500;

/**
 * Removes quotations of deleted sessions from an issue and the issue's comments, also in the change log. Quotations
 * of existing sessions and text written by users stay.
 */
async function issueDeletedSessionBlank(write: WriteContext, { id }: { id: string }): Promise<MutationResult> {
  const deleted = await findRowOrThrow(write, "IssueDeletedSession", id);
  const issue = await findRowOrThrow(write, "Issue", deleted.issueId);
  const comments = await findRowsOrThrow(write, "Comment", await commentsOf(write, issue.id));
  const texts = [issue.description ?? "", ...comments.map(({ body }) => body)];
  const kept = await keptOf(write, texts.flatMap(findQuotedSessions));
  const isDeleted = (session: string) => !kept.has(session);
  const description = issue.description === null ? null : removeQuotations(issue.description, isDeleted);
  const tool = description === issue.description ? undefined : findQuotedTool(issue.description ?? "");
  const title = tool === undefined ? issue.title : removeTitleQuotation(issue.title, tool);
  changeIssue(write, issue, { title, description }, { forgets: true });
  const bodies = comments.map((comment) => [comment.id, { body: removeQuotations(comment.body, isDeleted) }] as const);
  for (const [at, comment] of comments.entries())
    updateRow(write, "Comment", comment, bodies[at]?.[1] ?? {}, { forgets: true });
  await forget(write, "Issue", { [issue.id]: { title, description } });
  await forget(write, "Comment", Object.fromEntries(bodies));
  updateRow(write, "IssueDeletedSession", deleted, { blankedAt: deleted.blankedAt ?? write.at });
  return { id };
}

async function commentsOf({ trx, scope }: WriteContext, issueId: string): Promise<string[]> {
  const quoting = knex("comment").where({ organizationId: scope.organizationId, issueId }).orderBy("createdAt", "desc");
  const rows = await trx.query<{ id: string }>(toStatement(quoting.limit(COMMENTS).select("id")));
  return rows.map(({ id }) => id);
}

/** Returns the sessions that still exist. */
async function keptOf({ trx, scope }: WriteContext, ids: readonly string[]): Promise<Set<string>> {
  const there = knex("recorded_session")
    .where({ organization_id: scope.organizationId })
    .whereRaw("session_id = any(?::uuid[])", [[...new Set(ids)]]);
  const rows = await trx.query<{ id: string }>(toStatement(there.select({ id: "session_id" })));
  return new Set(rows.map(({ id }) => id));
}

/**
 * Raw SQL: removes earlier texts from the change log. Earlier entries of the log then contain the current texts, no
 * previous values of these texts, and URLs without the title. `texts` contains the new texts by the id of the row; all
 * rows have the same properties. The JSON functions can run locally on a Citus node.
 */
async function forget(
  write: WriteContext,
  type: string,
  texts: Readonly<Record<string, Record<string, string | null>>>,
) {
  const members = Object.keys(Object.values(texts)[0] ?? {});
  const set = (json: string, member: string, value: string) => `jsonb_set(${json}, '{${member}}', ${value}, false)`;
  const data = members.reduce((json, member) => set(json, member, `n.texts -> '${member}'`), "c.data::jsonb");
  const address = `coalesce(regexp_replace((c.data -> 'url')::text, '(/issue/[^/]+)/[^#"]*', '\\1'), 'null')::jsonb`;
  await write.trx.query({
    text: `update change c set data = ${set(data, "url", address)}::json,
        "updatedFrom" = (c."updatedFrom"::jsonb - $4::text[])::json
      from jsonb_each($3::jsonb) n (id, texts)
      where c."organizationId" = $1 and c.type = $2 and c."entityId" = n.id::uuid`,
    values: [write.scope.organizationId, type, JSON.stringify(texts), members],
  });
}

const columns = {
  ...BASE_COLUMNS,
  issueId: "uuid",
  deletedById: nullable("uuid"),
  blankedAt: nullable("timestamp"),
} as const;

declare module "../../write/rows.ts" {
  interface Rows {
    IssueDeletedSession: { stored: ColumnValues<typeof columns> };
  }
}

/** A deleted session that an issue still quotes. */
export const issueDeletedSessionResource: Resource = {
  entity: {
    name: "IssueDeletedSession",
    table: "issueDeletedSession",
    columns,
    computed: { teamId: { type: "uuid", sql: (row) => columnSql(joinLink(row, "issue"), "teamId") } },
    hidden: isOfTrashedTeamSql,
    one: {
      organization: organizationLink,
      issue: { entity: "Issue", by: "issueId", onDelete: "cascade-silently", inverse: "deletedSessions" },
      deletedBy: { entity: "User", by: "deletedById", onDelete: "detach" },
    },
  },
  one: { issueDeletedSession: { entity: "IssueDeletedSession" } },
  many: { issueDeletedSessions: { entity: "IssueDeletedSession" } },
  mutations: { issueDeletedSessionBlank: defineIdMutation("member", issueDeletedSessionBlank) },
};
