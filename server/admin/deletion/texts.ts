import { HOLDER_TEXTS } from "../../resources/lease/holder-texts.ts";

/**
 * Raw SQL, as in this whole file, because a restore runs each statement over all organizations. Returns a subquery `p`
 * that has one row per organization with three regular expressions: one for names, one for names as JSON text spells
 * them, and one for email addresses. `query` must select "organizationId", name (null when only the address is
 * replaced) and email.
 */
export const personPatternsSubquerySql = (
  query: string,
): string => `(select "organizationId", ${oneOf("name")} as names,
    ${oneOf("substr(to_jsonb(name)::text, 2, length(to_jsonb(name)::text) - 2)")} as "jsonNames", ${oneOf("email")} as emails
  from (${query}) q group by "organizationId") p`;

/** SQL that escapes text for use in a regular expression. */
export const escapeRegexSql = (text: string): string =>
  `regexp_replace(${text}, '[].*+?(){}|^$\\\\[]', '\\\\\\&', 'g')`;
const oneOf = (text: string): string => `coalesce(string_agg(${escapeRegexSql(text)}, '|'), chr(1))`;

const NAME = "Deleted user";
const ADDRESS = "deleted@deleted.invalid";

/**
 * SQL expression for a regular expression that matches only whole email addresses. A longer address that begins or ends
 * with one of `emails` does not match.
 */
export const emailAddressRegexSql = (emails: string): string =>
  `('(^|[^a-z0-9._%+-])(' || ${emails} || ')(?![a-z0-9-]|[.][a-z0-9])')`;

/** SQL that replaces the email addresses in text. */
const withoutAddress = (text: string): string =>
  `regexp_replace(${text}, ${emailAddressRegexSql("p.emails")}, '\\1${ADDRESS}', 'gi')`;

/** SQL expression that replaces the name of an issue's holder in a comment that Trackway itself wrote. */
const withoutHolder = (body: string, names: string): string =>
  Object.values(HOLDER_TEXTS).reduce((sql, phrase) => {
    const [before, after] = phrase("\n").split("\n");
    return `regexp_replace(${sql}, '(${before})(' || ${names} || ')(${after})', '\\1${NAME}\\3', 'g')`;
  }, body);

/** SQL expression that replaces the email addresses in JSON text, and the JSON strings that are equal to a name. */
const withoutPerson = (json: string): string =>
  withoutAddress(`regexp_replace(${json}, '"(' || p."jsonNames" || ')"', '"${NAME}"', 'g')`);

/** A column to rewrite. The change log also contains the column's values. */
interface Rewriting {
  entity: string;
  table: string;
  column: string;
  /** SQL expression for the new value of the column in row `r`. */
  value: string;
  where: string;
}

const filter = `r."filterData"::jsonb::text`;

/**
 * Content about people that Trackway wrote, and settings that name people. Content that people typed stays unchanged.
 */
export const TEXT_REWRITINGS: readonly Rewriting[] = [
  {
    ...{ entity: "Comment", table: "comment", column: "body", value: withoutHolder("r.body", "p.names") },
    where: `r."userId" is null and r.body <> ${withoutHolder("r.body", "p.names")}`,
  },
  {
    ...{ entity: "CustomView", table: "customView", column: "filterData", value: `(${withoutPerson(filter)})::json` },
    where: `${filter} <> ${withoutPerson(filter)}`,
  },
];

const rowsOf = (people: string, { table, where }: Rewriting): string =>
  `"${table}" r join ${people} on p."organizationId" = r."organizationId" where ${where}`;

export const organizationsToRewriteSql = (people: string): string =>
  TEXT_REWRITINGS.map((each) => `select r."organizationId" as id from ${rowsOf(people, each)}`).join(" union ");

/** SQL that finds up to `most` rows to rewrite in an organization, with the new values. */
export const rowsToRewriteSql = (people: string, rewriting: Rewriting, most: number): string =>
  `select r.id, ${rewriting.value} as value from ${rowsOf(people, rewriting)} order by r.id limit ${most}`;

/** SQL statements that a restore uses to rewrite the rows. The statements leave the change log unchanged. */
export const rewriteRowsSql = (people: string): string[] =>
  TEXT_REWRITINGS.map(
    ({ table, column, value, where }) =>
      `update "${table}" r set "${column}" = ${value} from ${people} where p."organizationId" = r."organizationId" and ${where}`,
  );

const inChange = (json: string): string => `(case when ${json} is null then null
  when c.type = 'Comment' then ${withoutHolder(`${json}::jsonb::text`, `p."jsonNames"`)}
  when ${json} -> 'filterData' is null then ${json}::jsonb::text
  else jsonb_set(${json}::jsonb, '{filterData}', (${withoutPerson(`(${json}::jsonb -> 'filterData')::text`)})::jsonb)::text end)`;

/**
 * SQL statement that makes the same replacements in the change log entries of views and of comments that Trackway
 * wrote. `where` is an SQL condition on the change `c`.
 */
export const rewriteChangeLogSql = (people: string, where: string): string => `update change c set
    data = ${inChange("c.data")}::json, "updatedFrom" = ${inChange(`c."updatedFrom"`)}::json
  from ${people} where p."organizationId" = c."organizationId" and ${where}
    and (c.type = 'CustomView' or (c.type = 'Comment' and c.data ->> 'userId' is null))
    and (${inChange("c.data")} <> c.data::jsonb::text or ${inChange(`c."updatedFrom"`)} <> c."updatedFrom"::jsonb::text)`;

const recipients = `coalesce((select array_agg(u.e order by u.n) from unnest(r.emails) with ordinality u (e, n)
  where u.e !~* ('^(' || p.emails || ')$')), '{}')`;
const words = `('(^|[^[:alnum:]])(' || p.names || ')(?![[:alnum:]])')`;

/**
 * SQL statements that rewrite settings outside the change log: the recipients of notice rules, and an organization's
 * SMTP settings (`mailServer`) with their audit entries. A notice rule without remaining recipients is disabled. A row
 * of `mailServer` that contains the address is deleted, because the settings cannot work without the address.
 */
export const rewriteSettingsSql = (people: string): string[] => [
  `update "noticeRule" r set emails = ${recipients}, enabled = r.enabled and cardinality(${recipients}) > 0 from ${people}
    where p."organizationId" = r."organizationId" and exists (select from unnest(r.emails) e where e ~* ('^(' || p.emails || ')$'))`,
  `delete from "mailServer" r using ${people} where p."organizationId" = r."organizationId"
    and (r."from" ~* ${emailAddressRegexSql("p.emails")} or r.username ~* ${emailAddressRegexSql("p.emails")})`,
  `update "mailServer" r set "from" = regexp_replace(r."from", ${words}, '\\1${NAME}', 'g') from ${people}
    where p."organizationId" = r."organizationId" and r."from" ~ ${words}`,
  `update audit r set detail = (select coalesce(jsonb_object_agg(m.key, m.value), '{}') from jsonb_each(r.detail) m where m.value::text !~ ${words})
    from ${people} where p."organizationId" = r."organizationId" and r.event like 'mailServer.%' and r.detail::text ~ ${words}`,
];
