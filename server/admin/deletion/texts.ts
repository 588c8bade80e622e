import { HOLDER_TEXTS } from "../../resources/lease/holder-texts.ts";

/**
 * Raw SQL, as in this whole file: a restore runs the statements over every organization. Returns a subquery `p` that
 * has one row per organization with three regular expressions: names, names in JSON spelling, and email addresses.
 * `query` selects "organizationId", name (null when only the address is replaced) and email.
 */
export const peopleSql = (query: string): string => `(select "organizationId", ${oneOf("name")} as names,
    ${oneOf("substr(to_jsonb(name)::text, 2, length(to_jsonb(name)::text) - 2)")} as "jsonNames", ${oneOf("email")} as emails
  from (${query}) q group by "organizationId") p`;

/** SQL that escapes text for use in a regular expression. */
export const patternSql = (text: string): string => `regexp_replace(${text}, '[].*+?(){}|^$\\\\[]', '\\\\\\&', 'g')`;
const oneOf = (text: string): string => `coalesce(string_agg(${patternSql(text)}, '|'), chr(1))`;

const NAME = "Deleted user";
const ADDRESS = "deleted@deleted.invalid";

/**
 * SQL of a regular expression that matches only whole email addresses: a
 * longer address may begin or end with a shorter one.
 */
export const addressSql = (emails: string): string =>
  `('(^|[^a-z0-9._%+-])(' || ${emails} || ')(?![a-z0-9-]|[.][a-z0-9])')`;

/** SQL that replaces the email addresses in text. */
const withoutAddress = (text: string): string =>
  `regexp_replace(${text}, ${addressSql("p.emails")}, '\\1${ADDRESS}', 'gi')`;

/** SQL that replaces the holder's name in a comment that Trackway wrote. */
const withoutHolder = (body: string, names: string): string =>
  Object.values(HOLDER_TEXTS).reduce((sql, phrase) => {
    const [before, after] = phrase("\n").split("\n");
    return `regexp_replace(${sql}, '(${before})(' || ${names} || ')(${after})', '\\1${NAME}\\3', 'g')`;
  }, body);

/** SQL that replaces email addresses, and string values equal to a name, in JSON text. */
const withoutPerson = (json: string): string =>
  withoutAddress(`regexp_replace(${json}, '"(' || p."jsonNames" || ')"', '"${NAME}"', 'g')`);

/** A column whose values the change log also contains. */
interface Rewriting {
  entity: string;
  table: string;
  column: string;
  /** SQL of the new value for the row `r`. */
  value: string;
  where: string;
}

const filter = `r."filterData"::jsonb::text`;

/**
 * Content about people that Trackway wrote, and settings that name people. Content that people typed stays unchanged.
 */
export const REWRITTEN: readonly Rewriting[] = [
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

export const findOrganizations = (people: string): string =>
  REWRITTEN.map((each) => `select r."organizationId" as id from ${rowsOf(people, each)}`).join(" union ");

/** SQL that finds up to `most` rows to rewrite in an organization, with the new values. */
export const findRows = (people: string, rewriting: Rewriting, most: number): string =>
  `select r.id, ${rewriting.value} as value from ${rowsOf(people, rewriting)} order by r.id limit ${most}`;

/** SQL that rewrites the rows, but not the change log. For a restore. */
export const rewriteRows = (people: string): string[] =>
  REWRITTEN.map(
    ({ table, column, value, where }) =>
      `update "${table}" r set "${column}" = ${value} from ${people} where p."organizationId" = r."organizationId" and ${where}`,
  );

const inChange = (json: string): string => `(case when ${json} is null then null
  when c.type = 'Comment' then ${withoutHolder(`${json}::jsonb::text`, `p."jsonNames"`)}
  when ${json} -> 'filterData' is null then ${json}::jsonb::text
  else jsonb_set(${json}::jsonb, '{filterData}', (${withoutPerson(`(${json}::jsonb -> 'filterData')::text`)})::jsonb)::text end)`;

/** SQL that rewrites the change log entries of these rows. `where` selects the changes `c`. */
export const rewriteLog = (people: string, where: string): string => `update change c set
    data = ${inChange("c.data")}::json, "updatedFrom" = ${inChange(`c."updatedFrom"`)}::json
  from ${people} where p."organizationId" = c."organizationId" and ${where}
    and (c.type = 'CustomView' or (c.type = 'Comment' and c.data ->> 'userId' is null))
    and (${inChange("c.data")} <> c.data::jsonb::text or ${inChange(`c."updatedFrom"`)} <> c."updatedFrom"::jsonb::text)`;

const recipients = `coalesce((select array_agg(u.e order by u.n) from unnest(r.emails) with ordinality u (e, n)
  where u.e !~* ('^(' || p.emails || ')$')), '{}')`;
const words = `('(^|[^[:alnum:]])(' || p.names || ')(?![[:alnum:]])')`;

/**
 * Rewrites settings that the change log does not contain: recipients of notice rules, and an organization's SMTP
 * settings. A notice rule without recipients is disabled. A row of `mailServer` that contains the address cannot work
 * without the address and is deleted.
 */
export const rewriteSettings = (people: string): string[] => [
  `update "noticeRule" r set emails = ${recipients}, enabled = r.enabled and cardinality(${recipients}) > 0 from ${people}
    where p."organizationId" = r."organizationId" and exists (select from unnest(r.emails) e where e ~* ('^(' || p.emails || ')$'))`,
  `delete from "mailServer" r using ${people} where p."organizationId" = r."organizationId"
    and (r."from" ~* ${addressSql("p.emails")} or r.username ~* ${addressSql("p.emails")})`,
  `update "mailServer" r set "from" = regexp_replace(r."from", ${words}, '\\1${NAME}', 'g') from ${people}
    where p."organizationId" = r."organizationId" and r."from" ~ ${words}`,
  `update audit r set detail = (select coalesce(jsonb_object_agg(m.key, m.value), '{}') from jsonb_each(r.detail) m where m.value::text !~ ${words})
    from ${people} where p."organizationId" = r."organizationId" and r.event like 'mailServer.%' and r.detail::text ~ ${words}`,
];
