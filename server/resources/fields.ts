import { z } from "zod";
import { getMonotonicEpochMs } from "../../concurrency/held-clock.ts";
import { parseAbsoluteTime, parseDay } from "../../formats/moments.ts";
import { getOwnProperty } from "../../formats/own.ts";
import { type ComputedValue, nullable, type SqlRow, type ToOne } from "../read/entity.ts";
import { type JsonSql, jsonToTextSql, objectJson } from "../read/json.ts";
import { bindGiven, bindOrganization, bindPublicUrl, columnSql, joinLink } from "../read/row.ts";
import type { RootFieldValue } from "./resource.ts";

/** Columns that every resource has. */
export const BASE_COLUMNS = {
  id: "uuid",
  createdAt: "timestamp",
  updatedAt: "timestamp",
  archivedAt: nullable("timestamp"),
} as const;

const KIB = 1024;
/** Maximum bytes of a description or a comment. */
export const MAX_LONG_TEXT_BYTES = 256 * KIB;
/** Tolerance in ms for a client's clock that is ahead of the server's clock. */
const SKEW_MS = 60_000;

/** PostgreSQL text cannot contain U+0000, and UTF-8 cannot encode half of a surrogate pair. */
const text = z
  .string()
  .refine((value) => !/[\0\p{Surrogate}]/u.test(value), "must not contain U+0000 or half a character");

const line = (max: number) => text.trim().min(1, "must not be empty").max(max, `must be at most ${max} characters`);

/** Validation of single fields, shared by several inputs. */
export const idSchema = z.guid("must be a UUID").transform((value) => value.toLowerCase());
export const nameSchema = line(256);
export const titleSchema = line(512);
export const longTextSchema = text.refine(
  (value) => Buffer.byteLength(value) <= MAX_LONG_TEXT_BYTES,
  `must be at most ${MAX_LONG_TEXT_BYTES / KIB} KiB`,
);
export const DEFAULT_COLOR = "#bec2c8";
export const colorSchema = z.string().regex(/^#[0-9a-f]{6}$/i, "must be a colour such as #5e6ad2");
export const prioritySchema = z
  .number()
  .int()
  .refine((value) => value >= 0 && value <= 4, "must be 0 none, 1 urgent, 2 high, 3 medium or 4 low");
export const referenceSchema = text.max(300, "must be an id");
export const referencesSchema = z.array(referenceSchema).max(100, "must name at most 100");
/**
 * A reference to a session, by its id or by the id that the agent reported. An empty reference must be rejected here:
 * the session may not be recorded yet, so no later lookup would reject the reference.
 */
export const sessionReferenceSchema = text
  .trim()
  .min(1, "must not be empty")
  .max(256, "must be at most 256 characters");
export const positionSchema = z.number();
/** The number of the caller's claim. The mutation rejects any number except the current fence. */
export const fenceSchema = z.number().nullish();
const YEARS = "must be of the years 1 to 9999";
export const timestampSchema = z.iso.datetime().refine((text) => parseAbsoluteTime(text) !== undefined, YEARS);
export const dateSchema = z.iso
  .date("must be a day, e.g. 2026-01-31")
  .refine((text) => parseDay(text) !== undefined, YEARS);
export const pastTimestampSchema = timestampSchema.refine(
  (at) => Date.parse(at) <= getMonotonicEpochMs() + SKEW_MS,
  "must not be in the future",
);

/** Converts null to undefined, so that an update leaves a required field unchanged. */
export const nullToUndefined = <Value>(value: Value | null | undefined): Value | undefined => value ?? undefined;

/** Computed column `url`: the URL of a row's page, `<PUBLIC_URL>/<urlKey>` and the path. */
export const pageUrl = (path: (row: SqlRow) => string): ComputedValue => ({
  type: "text",
  published: true,
  sql: (row) => `${bindPublicUrl(row.build)} || '/' || ${urlKey(row)} || ${path(row)}`,
});

const urlKey = (row: SqlRow): string =>
  row.build.urlKeyGiven ? bindGiven(row.build, "urlKey", "text") : columnSql(joinLink(row, "organization"), "urlKey");

/** SQL for a text as a URL path segment. */
export const slugSql = (sql: string): string =>
  `trim(both '-' from left(regexp_replace(lower(${sql}), '[^a-z0-9]+', '-', 'g'), 50))`;

/** Link from every tenant row to its organization. */
export const organizationLink: ToOne = {
  entity: "Organization",
  by: "organizationId",
  onDelete: "cascade-silently",
};

/** SQL for the name of a priority. */
export const priorityLabelSql = (row: SqlRow): string =>
  `(array['${PRIORITIES.join("', '")}'])[${columnSql(row, "priority")} + 1]`;

/** Names of the priorities, starting with 0. */
export const PRIORITIES = ["No priority", "Urgent", "High", "Medium", "Low"] as const;

/** SQL for a row's ids in a link table, in the order of the table's key, so that no sort is needed. */
export const linkedIdsSql = (row: SqlRow, table: string, from: string, to: string): string =>
  `array(select l."${to}"::text from "${table}" l where l."organizationId" = ${bindOrganization(row.build)}
    and l."${from}" = ${columnSql(row, "id")} order by l."${to}")`;

/** SQL for the ids that a row had in the systems from which the row was imported. Each id is written as `source:id`. */
export const externalIdsSql = (row: SqlRow): string =>
  `array(select e.source || ':' || e."externalId" from "externalId" e
    where e."organizationId" = ${bindOrganization(row.build)} and e."entityId" = ${columnSql(row, "id")} and e.source <> ''
    order by 1)`;

/** SQL for the ids of teams in the trash. PostgreSQL evaluates the SQL once per statement. */
export const trashedTeamIdsSql = (row: SqlRow): string =>
  `array(select d.id from team d where d."organizationId" = ${bindOrganization(row.build)} and d."archivedAt" is not null)`;

/** SQL condition: a row's team is in the trash, so the row counts as trashed too. */
const inTrashedTeam = (row: SqlRow): string =>
  `coalesce(${columnSql(row, "teamId")} = any(${trashedTeamIdsSql(row)}), false)`;

/** SQL condition: the team of a row's issue is in the trash. */
export const isOfTrashedTeamSql = (row: SqlRow): string => `exists (select 1 from issue h
  where h."organizationId" = ${bindOrganization(row.build)} and h.id = ${columnSql(row, "issueId")}
    and h."teamId" = any(${trashedTeamIdsSql(row)}) and cardinality(${trashedTeamIdsSql(row)}) > 0)`;

/** SQL condition for rows that lists omit: archived rows, and rows of a team in the trash. */
export const isHiddenWithTeamSql = (row: SqlRow): string =>
  `(${columnSql(row, "archivedAt")} is not null or ${inTrashedTeam(row)})`;

/** Returns a link from a computed row to the row whose id is in a column. */
export const linkTo = (entity: string, id: string) => ({
  entity,
  where: (target: SqlRow, row: SqlRow | null) => (row ? `${columnSql(target, "id")} = ${columnSql(row, id)}` : "false"),
});

/** Root field `issuePriorityValues`: the priorities with their names. */
export const issuePriorityValues: RootFieldValue = {
  most: PRIORITIES.length,
  sql: (_build, { children }) => {
    const values = PRIORITIES.map((label, priority) => {
      const known: Record<string, string> = { priority: String(priority), label: `"${label}"` };
      return objectJson(
        children.map(
          ({ key, field, constant }) => [key, [constant ?? getOwnProperty(known, field) ?? "null"]] as const,
        ),
      );
    });
    return jsonToTextSql(["[", ...values.flatMap((value, at): JsonSql => (at > 0 ? [",", ...value] : value)), "]"]);
  },
};
