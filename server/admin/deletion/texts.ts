import { HOLDER_TEXTS } from "../../resources/lease/holder-texts.ts";

/**
 * Raw SQL, as all of this: a restore runs it over every organization. The people whose names and addresses are to go are a
 * table `p` with one row for each organization: regular expressions of the names, of the names as JSON spells them, and of the
 * addresses. `query` selects "organizationId", name (null where nothing has that name) and email.
 */
export const peopleSql = (query: string): string => `(select "organizationId", ${oneOf("name")} as names,
    ${oneOf("substr(to_jsonb(name)::text, 2, length(to_jsonb(name)::text) - 2)")} as "jsonNames", ${oneOf("email")} as emails
  from (${query}) q group by "organizationId") p`;

/** SQL of a regular expression that finds a text. */
export const patternSql = (text: string): string => `regexp_replace(${text}, '[].*+?(){}|^$\\\\[]', '\\\\\\&', 'g')`;
const oneOf = (text: string): string => `coalesce(string_agg(${patternSql(text)}, '|'), chr(1))`;

const NAME = "Deleted user";
const ADDRESS = "deleted@deleted.invalid";

/** SQL of a regular expression that finds a whole address: another one may begin or end with it. */
export const addressSql = (emails: string): string =>
  `('(^|[^a-z0-9._%+-])(' || ${emails} || ')(?![a-z0-9-]|[.][a-z0-9])')`;

/** SQL of a text without addresses. */
const withoutAddress = (text: string): string =>
  `regexp_replace(${text}, ${addressSql("p.emails")}, '\\1${ADDRESS}', 'gi')`;

/** SQL of a comment of Trackway's own without the name of the holder. */
const withoutHolder = (body: string, names: string): string =>
  Object.values(HOLDER_TEXTS).reduce((sql, phrase) => {
    const [before, after] = phrase("\n").split("\n");
    return `regexp_replace(${sql}, '(${before})(' || ${names} || ')(${after})', '\\1${NAME}\\3', 'g')`;
  }, body);

/** SQL of JSON, as text, without values that are a name and without addresses. */
const withoutPerson = (json: string): string =>
  withoutAddress(`regexp_replace(${json}, '"(' || p."jsonNames" || ')"', '"${NAME}"', 'g')`);

/** A column whose rows are in the change log too. */
interface Rewriting {
  entity: string;
  table: string;
  column: string;
  /** SQL of the new value of the row `r`. */
  value: string;
  where: string;
}

const filter = `r."filterData"::jsonb::text`;

/** Texts that Trackway wrote itself about people, and settings that name people. Texts that people typed stay. */
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

/** Finds organizations with rows to rewrite. */
export const findOrganizations = (people: string): string =>
  REWRITTEN.map((each) => `select r."organizationId" as id from ${rowsOf(people, each)}`).join(" union ");

/** Finds rows to rewrite in an organization, with their new values. */
export const findRows = (people: string, rewriting: Rewriting, most: number): string =>
  `select r.id, ${rewriting.value} as value from ${rowsOf(people, rewriting)} order by r.id limit ${most}`;

/** Rewrites the rows without the change log: in a restore. */
export const rewriteRows = (people: string): string[] =>
  REWRITTEN.map(
    ({ table, column, value, where }) =>
      `update "${table}" r set "${column}" = ${value} from ${people} where p."organizationId" = r."organizationId" and ${where}`,
  );

const inChange = (json: string): string => `(case when ${json} is null then null
  when c.type = 'Comment' then ${withoutHolder(`${json}::jsonb::text`, `p."jsonNames"`)}
  when ${json} -> 'filterData' is null then ${json}::jsonb::text
  else jsonb_set(${json}::jsonb, '{filterData}', (${withoutPerson(`(${json}::jsonb -> 'filterData')::text`)})::jsonb)::text end)`;

/** Rewrites the entries of the change log about such rows. `where` chooses the changes `c`. */
export const rewriteLog = (people: string, where: string): string => `update change c set
    data = ${inChange("c.data")}::json, "updatedFrom" = ${inChange(`c."updatedFrom"`)}::json
  from ${people} where p."organizationId" = c."organizationId" and ${where}
    and (c.type = 'CustomView' or (c.type = 'Comment' and c.data ->> 'userId' is null))
    and (${inChange("c.data")} <> c.data::jsonb::text or ${inChange(`c."updatedFrom"`)} <> c."updatedFrom"::jsonb::text)`;

const recipients = `coalesce((select array_agg(u.e order by u.n) from unnest(r.emails) with ordinality u (e, n)
  where u.e !~* ('^(' || p.emails || ')$')), '{}')`;
const words = `('(^|[^[:alnum:]])(' || p.names || ')(?![[:alnum:]])')`;

/**
 * Rewrites what the change log does not hold: recipients of notices (a rule without any is disabled), and an organization's
 * mail server. Without its address a mail server is of no use, so its settings go.
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
