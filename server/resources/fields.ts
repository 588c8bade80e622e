import { z } from "zod";
import type { ValueType } from "../core/entity.ts";
import { column, joined, publicUrl, type Row } from "../core/row.ts";

/** Columns every resource has. */
export const BASE: Record<string, ValueType> = {
  id: "uuid",
  createdAt: "timestamp",
  updatedAt: "timestamp",
  archivedAt: "timestamp",
};

const KIB = 1024;

/** PostgreSQL text cannot hold U+0000. */
const text = z.string().refine((value) => !value.includes("\0"), "must not contain the character U+0000");

/** Field checks that inputs share (limits: decisions §3). */
export const id = z.uuid("must be a UUID").transform((value) => value.toLowerCase());
export const name = text.trim().min(1, "must not be empty").max(256, "must be at most 256 characters");
export const title = text.trim().min(1, "must not be empty").max(512, "must be at most 512 characters");
export const longText = text.refine((value) => Buffer.byteLength(value) <= 256 * KIB, "must be at most 256 KiB");
export const color = z.string().regex(/^#[0-9a-f]{6}$/i, "must be a colour such as #5e6ad2");
export const priority = z.number().int().min(0).max(4, "must be 0 none, 1 urgent, 2 high, 3 medium or 4 low");
export const reference = text.max(100, "must be an id");
export const references = z.array(reference).max(100, "must name at most 100");
export const position = z.number();

/** The address of the organization's pages: `<PUBLIC_URL>/<urlKey>`. */
export const base = (row: Row): string =>
  `${publicUrl(row.build)} || '/' || ${column(joined(row, "organization"), "urlKey")}`;

/** SQL of a text as a part of an address. */
export const slug = (sql: string): string =>
  `trim(both '-' from left(regexp_replace(lower(${sql}), '[^a-z0-9]+', '-', 'g'), 50))`;

/** The link every tenant row has to its organization. */
export const organizationLink = { entity: "Organization", by: "organizationId" };

/** SQL of a priority in words. */
export const priorityLabel = (row: Row): string =>
  `(array['No priority', 'Urgent', 'High', 'Medium', 'Low'])[${column(row, "priority")} + 1]`;

/** SQL of the share of a parent's issues that are completed; canceled ones do not count. */
export const progress = (row: Row, by: string): string => `(
  select coalesce(round((count(*) filter (where s.type = 'completed'))::numeric / nullif(count(*), 0), 4), 0)
  from issue i join "workflowState" s on s."organizationId" = i."organizationId" and s.id = i."stateId"
  where i."organizationId" = ${column(row, "organizationId")} and i."${by}" = ${column(row, "id")}
    and i."archivedAt" is null and i.trashed is not true and s.type not in ('canceled', 'duplicate'))`;
