import { nullable } from "../../read/entity.ts";
import { bindCaller, columnSql } from "../../read/row.ts";
import type { ColumnValues } from "../../write/rows.ts";
import { BASE_COLUMNS, organizationLink, pageUrl, slugSql } from "../fields.ts";
import { issueCountSql } from "../issue/counts.ts";
import type { Resource } from "../resource.ts";

const columns = {
  ...BASE_COLUMNS,
  name: "text",
  displayName: "text",
  email: "text",
  active: "boolean",
  app: "boolean",
} as const;
const internal = { accountId: "uuid", role: "text", onBehalfOfId: nullable("uuid") } as const;

declare module "../../write/rows.ts" {
  interface Rows {
    User: { stored: ColumnValues<typeof columns & typeof internal> };
  }
}

/** SQL for the author of a change. For an agent, includes the user on whose behalf the agent acts. */
const actor = (organization: string, id: string): string => `(select case when u.app
      then json_build_object('id', u.id, 'type', 'app', 'name', u.name, 'email', u.email, 'onBehalfOf',
        (select json_build_object('id', p.id, 'name', p.name) from "user" p
          where p."organizationId" = ${organization} and p.id = u."onBehalfOfId"))
      else json_build_object('id', u.id, 'type', 'user', 'name', u.name, 'email', u.email) end from "user" u
    where u."organizationId" = ${organization} and u.id = ${id})`;

/** Membership of an account in an organization. The account itself is in accounts/. */
export const userResource: Resource = {
  entity: {
    name: "User",
    table: "user",
    exact: ["email"],
    event: "user",
    columns,
    internal,
    tuning: { few: true },
    computed: {
      admin: { type: "boolean", sql: (row) => `(${columnSql(row, "role")} = 'owner')` },
      owner: { type: "boolean", sql: (row) => `(${columnSql(row, "role")} = 'owner')` },
      guest: { type: "boolean", sql: () => "false" },
      isMe: { type: "boolean", sql: (row) => `(${columnSql(row, "id")} = ${bindCaller(row.build)})` },
      initials: {
        type: "text",
        sql: (row) =>
          `upper((select string_agg(left(w, 1), '' order by n) from regexp_split_to_table(${columnSql(row, "name")}, '\\s+')
            with ordinality p (w, n) where n <= 2))`,
      },
      avatarUrl: { type: "text", sql: () => "null::text" },
      url: pageUrl((row) => `'/profiles/' || ${slugSql(columnSql(row, "name"))}`),
      createdIssueCount: { type: "integer", sql: (row) => issueCountSql(row, "creatorId") },
    },
    actor,
    hidden: (row) => `(not ${columnSql(row, "active")})`,
    refused: ({ active }) => (active ? undefined : "is no longer a member"),
    one: { organization: organizationLink },
    many: {
      assignedIssues: { entity: "Issue", by: "assigneeId" },
      createdIssues: { entity: "Issue", by: "creatorId" },
      teams: { entity: "Team" },
    },
    dependentTables: { inboxNotice: "userId", inboxState: "userId" },
  },
  one: {
    viewer: { entity: "User", where: (row) => `${columnSql(row, "id")} = ${bindCaller(row.build)}` },
    user: { entity: "User" },
  },
  many: { users: { entity: "User" } },
};

const externalColumns = { ...BASE_COLUMNS, name: "text", displayName: "text", email: nullable("text") } as const;

declare module "../../write/rows.ts" {
  interface Rows {
    ExternalUser: { stored: ColumnValues<typeof externalColumns> };
  }
}

/** An external user: a person without an account, who wrote imported content. Imports create external users. */
export const externalUserResource: Resource = {
  entity: {
    name: "ExternalUser",
    table: "externalUser",
    exact: ["email"],
    event: "externalUser",
    columns: externalColumns,
    one: { organization: organizationLink },
  },
  one: { externalUser: { entity: "ExternalUser" } },
  many: { externalUsers: { entity: "ExternalUser" } },
};
