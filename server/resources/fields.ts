import { z } from "zod";
import { heldTime } from "../../concurrency/held-clock.ts";
import { parseAbsolute, parseDay } from "../../formats/moments.ts";
import { readOwn } from "../../formats/own.ts";
import { type Computed, nullable, type SqlRow, type ToOne } from "../read/entity.ts";
import { type Json, objectJson, textSql } from "../read/json.ts";
import { bindGiven, bindPublicUrl, column, joinLink, organization } from "../read/row.ts";
import type { RootValue } from "./resource.ts";

/** Columns that every resource has. */
export const BASE_COLUMNS = {
  id: "uuid",
  createdAt: "timestamp",
  updatedAt: "timestamp",
  archivedAt: nullable("timestamp"),
} as const;

const KIB = 1024;
/** Maximum bytes of a description or a comment. */
export const LONG_TEXT_BYTES = 256 * KIB;
/** Tolerance in ms for a client's clock that is ahead of the server's clock. */
const SKEW_MS = 60_000;

/** PostgreSQL text cannot contain U+0000, and UTF-8 cannot encode half of a surrogate pair. */
const text = z
  .string()
  .refine((value) => !/[\0\p{Surrogate}]/u.test(value), "must not contain U+0000 or half a character");

const line = (max: number) => text.trim().min(1, "must not be empty").max(max, `must be at most ${max} characters`);

/** Validation of single fields, shared by several inputs. */
export const id = z.guid("must be a UUID").transform((value) => value.toLowerCase());
export const name = line(256);
export const title = line(512);
export const longText = text.refine(
  (value) => Buffer.byteLength(value) <= LONG_TEXT_BYTES,
  `must be at most ${LONG_TEXT_BYTES / KIB} KiB`,
);
export const DEFAULT_COLOR = "#bec2c8";
export const color = z.string().regex(/^#[0-9a-f]{6}$/i, "must be a colour such as #5e6ad2");
export const priority = z
  .number()
  .int()
  .refine((value) => value >= 0 && value <= 4, "must be 0 none, 1 urgent, 2 high, 3 medium or 4 low");
export const reference = text.max(300, "must be an id");
export const references = z.array(reference).max(100, "must name at most 100");
/**
 * A session, by its id or by the agent's id. The session may not be recorded yet, so no lookup rejects an empty
 * reference.
 */
export const sessionReference = text.trim().min(1, "must not be empty").max(256, "must be at most 256 characters");
export const position = z.number();
/** The mutation rejects any number except the current fence. */
export const fence = z.number().nullish();
const YEARS = "must be of the years 1 to 9999";
export const moment = z.iso.datetime().refine((text) => parseAbsolute(text) !== undefined, YEARS);
export const day = z.iso.date("must be a day, e.g. 2026-01-31").refine((text) => parseDay(text) !== undefined, YEARS);
export const pastMoment = moment.refine((at) => Date.parse(at) <= heldTime() + SKEW_MS, "must not be in the future");

/** Converts null to undefined, so that an update leaves a required field unchanged. */
export const nullToUndefined = <Value>(value: Value | null | undefined): Value | undefined => value ?? undefined;

/** Computed column `url`: the URL of a row's page, `<PUBLIC_URL>/<urlKey>` and the path. */
export const pageUrl = (path: (row: SqlRow) => string): Computed => ({
  type: "text",
  published: true,
  sql: (row) => `${bindPublicUrl(row.build)} || '/' || ${urlKey(row)} || ${path(row)}`,
});

const urlKey = (row: SqlRow): string =>
  row.build.urlKeyGiven ? bindGiven(row.build, "urlKey", "text") : column(joinLink(row, "organization"), "urlKey");

/** SQL for a text as a URL path segment. */
export const slug = (sql: string): string =>
  `trim(both '-' from left(regexp_replace(lower(${sql}), '[^a-z0-9]+', '-', 'g'), 50))`;

/** Link from every tenant row to its organization. */
export const organizationLink: ToOne = {
  entity: "Organization",
  by: "organizationId",
  onDelete: "cascade-silently",
};

/** SQL for the name of a priority. */
export const priorityLabel = (row: SqlRow): string =>
  `(array['${PRIORITIES.join("', '")}'])[${column(row, "priority")} + 1]`;

/** Names of the priorities, starting with 0. */
export const PRIORITIES = ["No priority", "Urgent", "High", "Medium", "Low"] as const;

/** SQL for a row's ids in a link table, in the order of the table's key, so that no sort is needed. */
export const linkedIds = (row: SqlRow, table: string, from: string, to: string): string =>
  `array(select l."${to}"::text from "${table}" l where l."organizationId" = ${organization(row.build)}
    and l."${from}" = ${column(row, "id")} order by l."${to}")`;

/** SQL for a row's ids in the systems from which it was imported, each as source:id. */
export const externalIds = (row: SqlRow): string =>
  `array(select e.source || ':' || e."externalId" from "externalId" e
    where e."organizationId" = ${organization(row.build)} and e."entityId" = ${column(row, "id")} and e.source <> ''
    order by 1)`;

/** SQL for the ids of teams in the trash. PostgreSQL evaluates it once per statement. */
export const trashedTeams = (row: SqlRow): string =>
  `array(select d.id from team d where d."organizationId" = ${organization(row.build)} and d."archivedAt" is not null)`;

/** SQL condition: a row's team is in the trash, and therefore the row too. */
const inTrashedTeam = (row: SqlRow): string => `coalesce(${column(row, "teamId")} = any(${trashedTeams(row)}), false)`;

/** SQL condition: the team of a row's issue is in the trash. */
export const ofTrashedTeam = (row: SqlRow): string => `exists (select 1 from issue h
  where h."organizationId" = ${organization(row.build)} and h.id = ${column(row, "issueId")}
    and h."teamId" = any(${trashedTeams(row)}) and cardinality(${trashedTeams(row)}) > 0)`;

/** SQL condition for rows that lists omit: archived rows, and rows of a team in the trash. */
export const hiddenWithTeam = (row: SqlRow): string =>
  `(${column(row, "archivedAt")} is not null or ${inTrashedTeam(row)})`;

/** Returns a link from a computed row to the row whose id is in a column. */
export const linkTo = (entity: string, id: string) => ({
  entity,
  where: (target: SqlRow, row: SqlRow | null) => (row ? `${column(target, "id")} = ${column(row, id)}` : "false"),
});

/** Root field `issuePriorityValues`: the priorities with their names. */
export const issuePriorityValues: RootValue = {
  most: PRIORITIES.length,
  sql: (_build, { children }) => {
    const values = PRIORITIES.map((label, priority) => {
      const known: Record<string, string> = { priority: String(priority), label: `"${label}"` };
      return objectJson(
        children.map(({ key, field, constant }) => [key, [constant ?? readOwn(known, field) ?? "null"]] as const),
      );
    });
    return textSql(["[", ...values.flatMap((value, at): Json => (at > 0 ? [",", ...value] : value)), "]"]);
  },
};
