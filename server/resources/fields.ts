import { z } from "zod";
import { parseAbsolute, parseDay } from "../../formats/moments.ts";
import { readOwn } from "../../formats/own.ts";
import { type Computed, nullable, type SqlRow, type ToOne } from "../read/entity.ts";
import { type Json, objectOf, textSql } from "../read/json.ts";
import { column, given, joined, organization, publicUrl } from "../read/row.ts";
import type { RootValue } from "./resource.ts";

/** Columns every resource has. */
export const BASE = {
  id: "uuid",
  createdAt: "timestamp",
  updatedAt: "timestamp",
  archivedAt: nullable("timestamp"),
} as const;

const KIB = 1024;
/** Most bytes of a description or a comment. */
export const LONG_TEXT_BYTES = 256 * KIB;
/** A clock may be this much ahead of ours. */
const SKEW_MS = 60_000;

/** PostgreSQL text cannot hold U+0000, and UTF-8 no half of a surrogate pair. */
const text = z
  .string()
  .refine((value) => !/[\0\p{Surrogate}]/u.test(value), "must not contain U+0000 or half a character");

const line = (max: number) => text.trim().min(1, "must not be empty").max(max, `must be at most ${max} characters`);

/** Field checks that inputs share. */
export const id = z.guid("must be a UUID").transform((value) => value.toLowerCase());
export const name = line(256);
export const title = line(512);
export const longText = text.refine(
  (value) => Buffer.byteLength(value) <= LONG_TEXT_BYTES,
  `must be at most ${LONG_TEXT_BYTES / KIB} KiB`,
);
/** The colour of what is given none. */
export const DEFAULT_COLOR = "#bec2c8";
export const color = z.string().regex(/^#[0-9a-f]{6}$/i, "must be a colour such as #5e6ad2");
export const priority = z
  .number()
  .int()
  .refine((value) => value >= 0 && value <= 4, "must be 0 none, 1 urgent, 2 high, 3 medium or 4 low");
export const reference = text.max(300, "must be an id");
export const references = z.array(reference).max(100, "must name at most 100");
/** A session, by its id or the id its agent gave it. It may not be recorded yet: no look-up refuses an empty one. */
export const sessionReference = text.trim().min(1, "must not be empty").max(256, "must be at most 256 characters");
export const position = z.number();
/** Any number but the present one is stale, which is for the mutation to say. */
export const fence = z.number().nullish();
const YEARS = "must be of the years 1 to 9999";
export const moment = z.iso.datetime().refine((text) => parseAbsolute(text) !== undefined, YEARS);
export const day = z.iso.date("must be a day, e.g. 2026-01-31").refine((text) => parseDay(text) !== undefined, YEARS);
export const past = moment.refine((at) => Date.parse(at) <= Date.now() + SKEW_MS, "must not be in the future");

/** Absent and null leave a field that always has a value as it is. */
export const kept = <Value>(value: Value | null | undefined): Value | undefined => value ?? undefined;

/** The computed column `url`: the address of a row's page, which is `<PUBLIC_URL>/<urlKey>` and the path. */
export const pageAt = (path: (row: SqlRow) => string): Computed => ({
  type: "text",
  published: true,
  sql: (row) => `${publicUrl(row.build)} || '/' || ${urlKey(row)} || ${path(row)}`,
});

const urlKey = (row: SqlRow): string =>
  row.build.urlKeyGiven ? given(row.build, "urlKey", "text") : column(joined(row, "organization"), "urlKey");

/** SQL of a text as a part of an address. */
export const slug = (sql: string): string =>
  `trim(both '-' from left(regexp_replace(lower(${sql}), '[^a-z0-9]+', '-', 'g'), 50))`;

/** The link every tenant row has to its organization. */
export const organizationLink: ToOne = {
  entity: "Organization",
  by: "organizationId",
  onDelete: "cascade-silently",
};

/** SQL of a priority in words. */
export const priorityLabel = (row: SqlRow): string =>
  `(array['${PRIORITIES.join("', '")}'])[${column(row, "priority")} + 1]`;

/** Names of the priorities, 0 first. */
export const PRIORITIES = ["No priority", "Urgent", "High", "Medium", "Low"] as const;

/** SQL of the ids a row has in a link table, in order: the one of its key, so that nothing is sorted. */
export const linkedIds = (row: SqlRow, table: string, from: string, to: string): string =>
  `array(select l."${to}"::text from "${table}" l where l."organizationId" = ${organization(row.build)}
    and l."${from}" = ${column(row, "id")} order by l."${to}")`;

/** SQL of the ids that a row had where it was imported from, each as source:id. */
export const externalIds = (row: SqlRow): string =>
  `array(select e.source || ':' || e."externalId" from "externalId" e
    where e."organizationId" = ${organization(row.build)} and e."entityId" = ${column(row, "id")} and e.source <> ''
    order by 1)`;

/** SQL of the ids of teams that are in the trash: PostgreSQL evaluates it once a statement. */
export const trashedTeams = (row: SqlRow): string =>
  `array(select d.id from team d where d."organizationId" = ${organization(row.build)} and d."archivedAt" is not null)`;

/** SQL of whether the team that a row belongs to is in the trash, and the row with it. */
const inTrashedTeam = (row: SqlRow): string => `coalesce(${column(row, "teamId")} = any(${trashedTeams(row)}), false)`;

/** SQL of whether the issue that a row belongs to is of a team in the trash. */
export const ofTrashedTeam = (row: SqlRow): string => `exists (select 1 from issue h
  where h."organizationId" = ${organization(row.build)} and h.id = ${column(row, "issueId")}
    and h."teamId" = any(${trashedTeams(row)}) and cardinality(${trashedTeams(row)}) > 0)`;

/** SQL of the rows of a team that lists leave out: archived ones, and those of a team in the trash. */
export const hiddenWithTeam = (row: SqlRow): string =>
  `(${column(row, "archivedAt")} is not null or ${inTrashedTeam(row)})`;

/** A link of a computed row to the row whose id one of its columns is. */
export const linkTo = (entity: string, id: string) => ({
  entity,
  where: (target: SqlRow, row: SqlRow | null) => (row ? `${column(target, "id")} = ${column(row, id)}` : "false"),
});

/** Root field `issuePriorityValues`: the priorities and their names. */
export const issuePriorityValues: RootValue = {
  most: PRIORITIES.length,
  sql: (_build, { children }) => {
    const values = PRIORITIES.map((label, priority) => {
      const known: Record<string, string> = { priority: String(priority), label: `"${label}"` };
      return objectOf(
        children.map(({ key, field, constant }) => [key, [constant ?? readOwn(known, field) ?? "null"]] as const),
      );
    });
    return textSql(["[", ...values.flatMap((value, at): Json => (at > 0 ? [",", ...value] : value)), "]"]);
  },
};
