import { knex, toStatement } from "../../../db/builder.ts";
import { nullable } from "../../read/entity.ts";
import { column, joined } from "../../read/row.ts";
import { update } from "../../write/change.ts";
import { target, targets } from "../../write/find.ts";
import type { RowOf } from "../../write/rows.ts";
import type { Result, Write } from "../../write/write.ts";
import { BASE, ofTrashedTeam, organizationLink } from "../fields.ts";
import { changeIssue } from "../issue/change.ts";
import { blanked, sessionsIn, titleWithout, toolIn } from "../recorded/failures/text.ts";
import { action, type Resource } from "../resource.ts";

/** Comments that one transaction changes: it holds the organization's other writers back. */
const COMMENTS = 500;

/**
 * Blanks what an issue and its comments quote of deleted sessions, also in the change log. Quotations of sessions that are
 * still there stay, and so does what people wrote around them.
 */
async function issueDeletedSessionBlank(write: Write, { id }: { id: string }): Promise<Result> {
  const deleted = await target(write, "IssueDeletedSession", id);
  const issue = await target(write, "Issue", deleted.issueId);
  const comments = await targets(write, "Comment", await commentsOf(write, issue.id));
  const texts = [issue.description ?? "", ...comments.map(({ body }) => body)];
  const kept = await keptOf(write, texts.flatMap(sessionsIn));
  const isDeleted = (session: string) => !kept.has(session);
  const description = issue.description === null ? null : blanked(issue.description, isDeleted);
  const tool = description === issue.description ? undefined : toolIn(issue.description ?? "");
  const title = tool === undefined ? issue.title : titleWithout(issue.title, tool);
  changeIssue(write, issue, { title, description }, { forgets: true });
  const bodies = comments.map((comment) => [comment.id, { body: blanked(comment.body, isDeleted) }] as const);
  for (const [at, comment] of comments.entries())
    update(write, "Comment", comment, bodies[at]?.[1] ?? {}, { forgets: true });
  await forget(write, "Issue", { [issue.id]: { title, description } });
  await forget(write, "Comment", Object.fromEntries(bodies));
  update(write, "IssueDeletedSession", deleted, { blankedAt: deleted.blankedAt ?? write.at });
  return { id };
}

async function commentsOf({ trx, scope }: Write, issueId: string): Promise<string[]> {
  const quoting = knex("comment").where({ organizationId: scope.organizationId, issueId }).orderBy("createdAt", "desc");
  const rows = await trx.query<{ id: string }>(toStatement(quoting.limit(COMMENTS).select("id")));
  return rows.map(({ id }) => id);
}

/** Those of some sessions that are there. */
async function keptOf({ trx, scope }: Write, ids: readonly string[]): Promise<Set<string>> {
  const there = knex("recorded_session")
    .where({ organization_id: scope.organizationId })
    .whereRaw("session_id = any(?::uuid[])", [[...new Set(ids)]]);
  const rows = await trx.query<{ id: string }>(toStatement(there.select({ id: "session_id" })));
  return new Set(rows.map(({ id }) => id));
}

/**
 * Raw SQL: it changes members of JSON, by functions that a node of Citus runs on its rows. Earlier entries of the change log
 * show the texts as they are now, and addresses without the title. Texts are given by id, each with the same members.
 */
async function forget(write: Write, type: string, texts: Readonly<Record<string, Record<string, string | null>>>) {
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
  ...BASE,
  issueId: "uuid",
  deletedById: nullable("uuid"),
  blankedAt: nullable("timestamp"),
} as const;

declare module "../../write/rows.ts" {
  interface Rows {
    IssueDeletedSession: { stored: RowOf<typeof columns> };
  }
}

/** A deleted session that an issue still quotes. */
export const issueDeletedSession: Resource = {
  entity: {
    name: "IssueDeletedSession",
    table: "issueDeletedSession",
    columns,
    computed: { teamId: { type: "uuid", sql: (row) => column(joined(row, "issue"), "teamId") } },
    hidden: ofTrashedTeam,
    one: {
      organization: organizationLink,
      issue: { entity: "Issue", by: "issueId", onDelete: "cascade-silently", inverse: "deletedSessions" },
      deletedBy: { entity: "User", by: "deletedById", onDelete: "detach" },
    },
  },
  one: { issueDeletedSession: { entity: "IssueDeletedSession" } },
  many: { issueDeletedSessions: { entity: "IssueDeletedSession" } },
  mutations: { issueDeletedSessionBlank: action("member", issueDeletedSessionBlank) },
};
