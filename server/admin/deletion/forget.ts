import { quoteName, type TableDescription } from "../../../db/statements/tables.ts";
import { findTenantColumn } from "../../jobs/deletion.ts";
import {
  emailAddressRegexSql,
  escapeRegexSql,
  personPatternsSubquerySql,
  rewriteChangeLogSql,
  rewriteRowsSql,
  rewriteSettingsSql,
} from "./texts.ts";

/**
 * A statement that deletes rows for good. `kind` is the name under which
 * a restore reports the number of deleted rows.
 */
export interface DeleteStatement {
  text: string;
  kind?: string;
}

/**
 * Raw SQL, as in this whole file: the statements change members of JSON, and a restore runs them over every
 * organization. Selects deleted accounts that still have a row: the deletion is in progress, or a backup brought
 * the account back.
 */
const PEOPLE = `(select a.id, lower(a.email) as email from account a join "deletedAccount" d on d.id = a.id) p`;

/**
 * Statements that delete an account, its logins and OpenID identities, and its email address in audit entries,
 * invitations and throttle keys.
 */
export const ACCOUNT_DELETION_STATEMENTS: readonly DeleteStatement[] = [
  {
    text: `update audit a set detail = coalesce((select jsonb_object_agg(m.key, m.value) from jsonb_each(a.detail) m
      where m.value::text !~* ${emailAddressRegexSql(escapeRegexSql("p.email"))}), '{}')
    from ${PEOPLE} where strpos(lower(a.detail::text), p.email) > 0`,
  },
  { kind: "invitation", text: `delete from invitation i using ${PEOPLE} where lower(i.email) = p.email` },
  // A loop deletes the rows, because on Citus a write cannot join other tables with a table that exists only on the
  // coordinator.
  {
    text: `do $$ declare p record; begin for p in select email from ${PEOPLE} loop
      delete from throttle where strpos(lower(key), p.email) > 0; end loop; end $$`,
  },
  { text: `delete from "oidcOnce" o using ${PEOPLE} where strpos(lower(o.person::text), p.email) > 0` },
  { text: `delete from "oidcIdentity" o using ${PEOPLE} where o."accountId" = p.id` },
  { text: `delete from "refreshToken" t using login l, ${PEOPLE} where l.id = t."loginId" and l."accountId" = p.id` },
  { kind: "login", text: `delete from login l using ${PEOPLE} where l."accountId" = p.id` },
  { kind: "account", text: `delete from account a using "deletedAccount" d where a.id = d.id` },
];

/**
 * Deleted organizations that a backup brought back. Excludes organizations with `deletedAt`: the server's job
 * deletes those organizations.
 */
const ORGANIZATIONS = `(select o.id from organization o join "deletedOrganization" d on d.id = o.id where o."deletedAt" is null)`;

/** Statements that delete the rows of deleted organizations after a restore. */
export const buildOrganizationDeletions = (all: readonly TableDescription[]): DeleteStatement[] => [
  ...all.flatMap((table) => {
    const tenant = findTenantColumn(table);
    return tenant
      ? [{ text: `delete from ${quoteName(table.name)} where ${quoteName(tenant)} in ${ORGANIZATIONS}` }]
      : [];
  }),
  { text: `update account set "lastOrganizationId" = null where "lastOrganizationId" in ${ORGANIZATIONS}` },
  { kind: "organization", text: `delete from organization where id in ${ORGANIZATIONS}` },
];

/** Values for the columns that name a person. The id makes the email address unique. */
export const buildDeletedUserValues = (id: string) => ({
  name: "Deleted user",
  displayName: "deleted",
  email: `${id}@deleted.invalid`,
});

const NOBODY = `name = 'Deleted user', "displayName" = 'deleted', email = p.id::text || '@deleted.invalid'`;

type People = "user" | "externalUser";

const TYPE: Readonly<Record<People, string>> = { user: "User", externalUser: "ExternalUser" };

/**
 * SQL of a JSON object with text values. Citus refuses `jsonb_build_object` here because PostgreSQL marks the
 * function as STABLE.
 */
const objectSql = (texts: Record<string, string>): string =>
  `jsonb_object(array[${Object.entries(texts).flatMap(([name, sql]) => [`'${name}'`, sql])}])`;

/**
 * Returns SQL that writes the current names of people `p` into the change log. `where` selects the people and the
 * changes `c`.
 */
export const renamePeopleInChangeLogSql = (table: People, where: string): string => `update change c set
    actor = (case
      when c.actor ->> 'id' = p.id::text then c.actor::jsonb || ${objectSql({ name: "p.name", email: "p.email" })}
      when c.actor #>> '{onBehalfOf,id}' = p.id::text then jsonb_set(c.actor::jsonb, '{onBehalfOf,name}', ${objectSql({ name: "p.name" })} -> 'name')
      else c.actor::jsonb end)::json,
    data = case when c.type = '${TYPE[table]}' and c."entityId" = p.id then (c.data::jsonb
      || ${objectSql({ name: "p.name", displayName: 'p."displayName"', email: "p.email", url: "null" })})::json else c.data end,
    "updatedFrom" = case when c.type = '${TYPE[table]}' and c."entityId" = p.id
      then (c."updatedFrom"::jsonb - '{name,displayName,email}'::text[])::json else c."updatedFrom" end
  from "${table}" p where ${where} and (c.actor ->> 'id' = p.id::text or c.actor #>> '{onBehalfOf,id}' = p.id::text
    or (c.type = '${TYPE[table]}' and c."entityId" = p.id))`;

const EVERYWHERE = `p."organizationId" = c."organizationId" and p.email = p.id::text || '@deleted.invalid'`;
const MEMBERS = `select u."organizationId", u.id from "user" u join "deletedAccount" d on d.id = u."accountId"`;

/** Email addresses are replaced in every organization. Names are replaced only where the person was a member. */
const RESTORED = personPatternsSubquerySql(`select o.id as "organizationId", n.name, a.email from account a
  join "deletedAccount" d on d.id = a.id cross join organization o left join lateral (
    select u.name from "user" u where u."organizationId" = o.id and u."accountId" = a.id
    union select a.name from "user" u where u."organizationId" = o.id and u."accountId" = a.id) n on true`);

/**
 * Statements that a restore runs to delete accounts which a backup brought back. The statements also end the
 * memberships of these accounts in every organization, and delete their keys and connected apps. Email addresses are
 * replaced in every organization, names only where the person was a member.
 */
export const RESTORED_ACCOUNT_DELETIONS: readonly DeleteStatement[] = [
  ...Object.entries({ apiKey: "key", oauthCode: undefined, oauthGrant: "connected app" }).map(([table, kind]) => ({
    ...(kind && { kind }),
    text: `delete from "${table}" where ("organizationId", "userId") in (${MEMBERS})`,
  })),
  ...[...rewriteRowsSql(RESTORED), rewriteChangeLogSql(RESTORED, "true"), ...rewriteSettingsSql(RESTORED)].map(
    (text) => ({ text }),
  ),
  { text: `update "externalUser" p set ${NOBODY} where lower(p.email) in (select email from ${PEOPLE})` },
  { text: `update "user" p set active = false, ${NOBODY} from "deletedAccount" d where d.id = p."accountId"` },
  { text: renamePeopleInChangeLogSql("externalUser", EVERYWHERE) },
  { text: renamePeopleInChangeLogSql("user", EVERYWHERE) },
  ...ACCOUNT_DELETION_STATEMENTS,
];
