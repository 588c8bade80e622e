import { addressSql, patternSql, peopleSql, rewriteLog, rewriteRows, rewriteSettings } from "./texts.ts";

/** A statement that deletes what must not stay. `kind` names the rows that it deletes, where a restore reports their number. */
export interface Deleting {
  text: string;
  kind?: string;
}

/**
 * Raw SQL, as all of this: it changes members of JSON, and a restore runs it over every organization. People whose
 * account is deleted and still stands: the deletion is under way, or a backup brought the account back.
 */
const PEOPLE = `(select a.id, lower(a.email) as email from account a join "deletedAccount" d on d.id = a.id) p`;

/** Statements that take an account away, with its address wherever it stands beside the organizations' own tables. */
export const FORGET_ACCOUNTS: readonly Deleting[] = [
  {
    text: `update audit a set detail = coalesce((select jsonb_object_agg(m.key, m.value) from jsonb_each(a.detail) m
      where m.value::text !~* ${addressSql(patternSql("p.email"))}), '{}')
    from ${PEOPLE} where strpos(lower(a.detail::text), p.email) > 0`,
  },
  { kind: "invitation", text: `delete from invitation i using ${PEOPLE} where lower(i.email) = p.email` },
  { text: `delete from throttle t using ${PEOPLE} where strpos(lower(t.key), p.email) > 0` },
  { text: `delete from "oidcOnce" o using ${PEOPLE} where strpos(lower(o.person::text), p.email) > 0` },
  { text: `delete from "oidcIdentity" o using ${PEOPLE} where o."accountId" = p.id` },
  { text: `delete from "refreshToken" t using login l, ${PEOPLE} where l.id = t."loginId" and l."accountId" = p.id` },
  { kind: "login", text: `delete from login l using ${PEOPLE} where l."accountId" = p.id` },
  { kind: "account", text: `delete from account a using "deletedAccount" d where a.id = d.id` },
];

/** The columns that name somebody, and the values in their place: an address has to be one of its own. */
export const nobody = (id: string) => ({
  name: "Deleted user",
  displayName: "deleted",
  email: `${id}@deleted.invalid`,
});

const NOBODY = `name = 'Deleted user', "displayName" = 'deleted', email = p.id || '@deleted.invalid'`;

/** A table with the names of people. */
type People = "user" | "externalUser";

const TYPE: Readonly<Record<People, string>> = { user: "User", externalUser: "ExternalUser" };

/** Writes into the change log the names that people \`p\` of a table have now. \`where\` chooses them and the changes \`c\`. */
export const renameInLog = (table: People, where: string): string => `update change c set
    actor = (case
      when c.actor ->> 'id' = p.id::text then c.actor::jsonb || jsonb_build_object('name', p.name, 'email', p.email)
      when c.actor #>> '{onBehalfOf,id}' = p.id::text then jsonb_set(c.actor::jsonb, '{onBehalfOf,name}', to_jsonb(p.name))
      else c.actor::jsonb end)::json,
    data = case when c.type = '${TYPE[table]}' and c."entityId" = p.id then (c.data::jsonb || jsonb_build_object(
      'name', p.name, 'displayName', p."displayName", 'email', p.email, 'url', null))::json else c.data end,
    "updatedFrom" = case when c.type = '${TYPE[table]}' and c."entityId" = p.id
      then (c."updatedFrom"::jsonb - '{name,displayName,email}'::text[])::json else c."updatedFrom" end
  from "${table}" p where ${where} and (c.actor ->> 'id' = p.id::text or c.actor #>> '{onBehalfOf,id}' = p.id::text
    or (c.type = '${TYPE[table]}' and c."entityId" = p.id))`;

const EVERYWHERE = `p."organizationId" = c."organizationId" and p.email = p.id || '@deleted.invalid'`;
const MEMBERS = `(select u."organizationId", u.id from "user" u join "deletedAccount" d on d.id = u."accountId") m`;

/** Addresses count in every organization, and names where somebody is a member. */
const RESTORED = peopleSql(`select o.id as "organizationId", n.name, a.email from account a
  join "deletedAccount" d on d.id = a.id cross join organization o left join lateral (
    select u.name from "user" u where u."organizationId" = o.id and u."accountId" = a.id
    union select a.name from "user" u where u."organizationId" = o.id and u."accountId" = a.id) n on true`);

/** The same after a restore, with the memberships of these accounts, in every organization. */
export const FORGET_RESTORED: readonly Deleting[] = [
  ...Object.entries({ apiKey: "key", oauthCode: undefined, oauthGrant: "connected app" }).map(([table, kind]) => ({
    ...(kind && { kind }),
    text: `delete from "${table}" k using ${MEMBERS} where k."organizationId" = m."organizationId" and k."userId" = m.id`,
  })),
  ...[...rewriteRows(RESTORED), rewriteLog(RESTORED, "true"), ...rewriteSettings(RESTORED)].map((text) => ({ text })),
  { text: `update "externalUser" p set ${NOBODY} where lower(p.email) in (select email from ${PEOPLE})` },
  { text: `update "user" p set active = false, ${NOBODY} from "deletedAccount" d where d.id = p."accountId"` },
  { text: renameInLog("externalUser", EVERYWHERE) },
  { text: renameInLog("user", EVERYWHERE) },
  ...FORGET_ACCOUNTS,
];
