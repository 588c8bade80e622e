import type { Entity } from "./entity.ts";
import { newId } from "./id.ts";
import { jsonObject, shown } from "./json.ts";
import { bind, column, fieldValue, inTenant, newBuild, newRow, type Row } from "./row.ts";
import { type Entry, enqueueUpdate, entityNamed, type Raw, rowOf, type Write } from "./write.ts";

/** How a change is told apart from a plain create, update or remove. */
interface Told {
  /** Suffix of the domain event, e.g. `archived`. */
  event?: string;
  action?: "update" | "remove";
}

/** Adds a row, with its change. Fills in the organization, the id and the moments. Returns the row. */
export function create(write: Write, name: string, row: Raw): Raw & { id: string } {
  const entity = entityNamed(write, name);
  const id = String(row.id ?? newId());
  const full = { createdAt: write.at, updatedAt: write.at, ...row, id, organizationId: write.scope.organizationId };
  write.operations.push({ kind: "insert", table: entity.table, row: full });
  if (entity.event) write.entries.push({ entity, id, action: "create", event: `${entity.event}.created` });
  return full;
}

/**
 * Changes a row, with its change; a patch that changes nothing writes nothing. `sets` are set-valued links of the
 * same change (such as `labelIds`): their values before and after. Returns the row after.
 */
export function update(write: Write, name: string, before: Raw, patch: Raw, told: Told & { sets?: Sets } = {}): Raw {
  const entity = entityNamed(write, name);
  const sets = Object.entries(told.sets ?? {}).filter(([, { before: old, after }]) => !sameSet(old, after));
  const changed = Object.entries(patch).filter(([key, value]) => value !== undefined && value !== before[key]);
  if (changed.length === 0 && sets.length === 0) return before;
  const id = String(before.id);
  const after = Object.fromEntries(changed);
  enqueueUpdate(write, entity, id, { ...after, updatedAt: write.at });
  const { action = "update", event = "updated" } = told;
  const published = changed.filter(([key]) => entity.columns[key]);
  const updatedFrom = {
    ...Object.fromEntries(published.map(([key]) => [key, before[key] ?? null])),
    ...Object.fromEntries(sets.map(([key, { before: old }]) => [key, old])),
    ...(action === "update" && { updatedAt: before.updatedAt }),
  };
  if (entity.event) {
    write.entries.push({
      entity,
      id,
      action,
      event: `${entity.event}.${event}`,
      ...(action === "update" && { updatedFrom }),
    });
  }
  return { ...before, ...after, updatedAt: write.at };
}

/** Values of set-valued links before and after a change. */
export type Sets = Record<string, { before: readonly string[]; after: readonly string[] }>;

const sameSet = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((id) => other.includes(id));

/** Removes a row for good, with its change, which keeps what the row looked like. */
export async function remove(write: Write, name: string, before: Raw): Promise<void> {
  const entity = entityNamed(write, name);
  const id = String(before.id);
  if (entity.event) {
    const data = await publishedRow(write, entity, id);
    write.entries.push({ entity, id, action: "remove", event: `${entity.event}.deleted`, data });
  }
  write.operations.push({ kind: "delete", table: entity.table, where: rowOf(write, entity, id) });
}

/** Writes rows of a link table or counter, which have no change of their own: their owner's change tells of them. */
export const addLink = (write: Write, table: string, row: Raw): void => {
  write.operations.push({ kind: "insert", table, row: { organizationId: write.scope.organizationId, ...row } });
};

/** Removes the rows of a link table that have these values. */
export const dropLinks = (write: Write, table: string, where: Raw): void => {
  write.operations.push({ kind: "delete", table, where: { organizationId: write.scope.organizationId, ...where } });
};

/** Sets columns that make no change: counters. */
export const setInternal = (write: Write, name: string, id: string, patch: Raw): void => {
  enqueueUpdate(write, entityNamed(write, name), id, patch);
};

async function publishedRow(write: Write, entity: Entity, id: string): Promise<NonNullable<Entry["data"]>> {
  const build = newBuild(write.model, { scope: write.scope, args: [] });
  const row = newRow(build, entity);
  const select = `select ${published(row)} as row, ${teamOf(row)} as "teamId"`;
  const where = `${inTenant(row)} and ${column(row, "id")} = ${bind(build, "id", "uuid", () => id)}`;
  const text = `${select} from "${entity.table}" ${row.alias}${row.frame.joins.join("")} where ${where}`;
  const values = build.getters.map((get) => get(build.inputs));
  const [found] = await write.trx.query<NonNullable<Entry["data"]>>({ text, values });
  if (!found) throw new Error(`${entity.name} ${id} is gone`);
  return found;
}

/** SQL of an entity as the change log publishes it: its columns and the computed values declared for it. */
export function published(row: Row): string {
  const names = [...Object.keys(row.entity.columns), ...(row.entity.published ?? [])];
  return jsonObject(
    names.map((name) => {
      const value = fieldValue(row, name);
      if (!value) throw new Error(`${row.entity.name} publishes ${name}, which it does not declare`);
      return [name, shown(value.type, value.sql)] as const;
    }),
  );
}

/** SQL of the team a row belongs to, for webhooks scoped to a team. */
export function teamOf(row: Row): string {
  if (row.entity.teamOf) return row.entity.teamOf(row);
  return row.entity.columns.teamId ? column(row, "teamId") : "null::uuid";
}
