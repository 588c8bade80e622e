import { published, teamOf } from "./change.ts";
import { type Build, bind, caller, column, inTenant, newBuild, newRow, organization } from "./row.ts";
import type { Entry, Operation, Raw, Write } from "./write.ts";

/** A statement being written, parts and parameters. */
interface Text {
  parts: string[];
  values: unknown[];
}

/**
 * Writes every waiting row in one statement, and every change with its webhook deliveries in a second one.
 * `base` is the first number of the change log this transaction may take; it is already the organization's last.
 * Returns the last number taken.
 */
export async function flush(write: Write, base: number): Promise<number> {
  const last = base + write.entries.length - 1;
  const operations = [...write.operations];
  if (last !== base) {
    const where = { organizationId: write.scope.organizationId };
    operations.push({ kind: "update", table: "sync", patch: { lastSyncId: last }, where });
  }
  if (operations.length > 0) await write.trx.query(rowsStatement(operations));
  if (write.entries.length > 0) await write.trx.query(changesStatement(write, base));
  return last;
}

function rowsStatement(operations: readonly Operation[]): { text: string; values: unknown[] } {
  const text: Text = { parts: [], values: [] };
  for (const group of grouped(operations)) text.parts.push(operationSql(text, group));
  const [only, ...more] = text.parts;
  const sql =
    more.length === 0 ? only : `with ${text.parts.map((part, at) => `o${at} as (${part})`).join(", ")} select 1`;
  return { text: sql ?? "select 1", values: text.values };
}

/** Inserts into one table with the same columns go together; everything else goes alone. */
function grouped(operations: readonly Operation[]): Operation[][] {
  const groups = new Map<string, Operation[]>();
  operations.forEach((operation, at) => {
    const key = operation.kind === "insert" ? `${operation.table} ${Object.keys(operation.row)}` : String(at);
    groups.set(key, [...(groups.get(key) ?? []), operation]);
  });
  return [...groups.values()];
}

function operationSql(text: Text, group: readonly Operation[]): string {
  const [first] = group;
  if (!first) throw new Error("an empty group of operations");
  const place = (value: unknown) => `$${text.values.push(value)}`;
  const pairs = (row: Raw, by: string) =>
    Object.entries(row)
      .map(([name, value]) => `"${name}" = ${place(value)}`)
      .join(by);
  if (first.kind === "delete") return `delete from "${first.table}" where ${pairs(first.where, " and ")}`;
  if (first.kind === "update") {
    return `update "${first.table}" set ${pairs(first.patch, ", ")} where ${pairs(first.where, " and ")}`;
  }
  const columns = Object.keys(first.row);
  const rows = group.map(
    (each) => `(${columns.map((name) => place(each.kind === "insert" && each.row[name])).join(", ")})`,
  );
  return `insert into "${first.table}" (${columns.map((name) => `"${name}"`).join(", ")}) values ${rows.join(", ")}`;
}

/** Changes of the same kind are one SELECT; what a row looks like is read where it was just written. */
function changesStatement(write: Write, base: number): { text: string; values: unknown[] } {
  const build = newBuild(write.model, { scope: write.scope, args: [] });
  const numbered = write.entries.map((entry, at) => ({ entry, number: base + at }));
  const kinds = new Map<string, typeof numbered>();
  for (const each of numbered) {
    const key = `${each.entry.event} ${each.entry.data !== undefined}`;
    kinds.set(key, [...(kinds.get(key) ?? []), each]);
  }
  const selects = [...kinds.values()].map((group) => changesSelect(write, build, group));
  const text = `with c as (insert into change ("organizationId", "lastSyncId", type, action, event, "entityId", "teamId",
      data, "updatedFrom", actor, "createdAt") ${selects.join(" union all ")}
      returning "organizationId", "lastSyncId", type, "teamId", "createdAt")
    insert into delivery (id, "organizationId", "webhookId", "lastSyncId", "nextAttemptAt", "createdAt")
    select gen_random_uuid(), c."organizationId", w.id, c."lastSyncId", c."createdAt", c."createdAt"
    from c join webhook w on w."organizationId" = c."organizationId" and w.enabled
      and (w."teamId" is null or w."teamId" = c."teamId")
      and (w."resourceTypes" is null or c.type = any(w."resourceTypes"))`;
  return { text, values: build.getters.map((get) => get(build.inputs)) };
}

function changesSelect(write: Write, build: Build, group: readonly { entry: Entry; number: number }[]): string {
  const [first] = group;
  if (!first) throw new Error("an empty group of changes");
  const { entity, action, event } = first.entry;
  const place = (name: string, cast: string, value: unknown) =>
    bind(build, `${first.number}.${name}`, cast, () => value);
  const rows = group.map(({ entry, number }, at) => {
    const known = entry.data
      ? `, ${place(`data${at}`, "json", JSON.stringify(entry.data.row))}, ${place(`team${at}`, "uuid", entry.data.teamId)}`
      : "";
    const from = entry.updatedFrom ? JSON.stringify(entry.updatedFrom) : null;
    return `(${place(`number${at}`, "bigint", number)}, ${place(`id${at}`, "uuid", entry.id)}, ${place(`from${at}`, "json", from)}${known})`;
  });
  const told = `'${entity.name}', '${action}', '${event}', v.id`;
  const moment = `v.before, ${actorSql(write, build)}, ${bind(build, "at", "timestamptz", () => write.at)}`;
  const head = `select ${organization(build)}, v.number, ${told}`;
  if (first.entry.data)
    return `${head}, v.team, v.data, ${moment} from (values ${rows.join(", ")}) v (number, id, before, data, team)`;
  const row = newRow(build, entity);
  const shown = `${teamOf(row)}, ${published(row)}`;
  return `${head}, ${shown}, ${moment} from (values ${rows.join(", ")}) v (number, id, before)
    join "${entity.table}" ${row.alias} on ${inTenant(row)} and ${column(row, "id")} = v.id${row.frame.joins.join("")}`;
}

/** Who made the change, as every stream shows it. */
function actorSql(write: Write, build: Build): string {
  if (write.scope.system) return `'{"type":"system"}'::json`;
  return `(select json_build_object('id', u.id, 'type', 'user', 'name', u.name, 'email', u.email) from "user" u
    where u."organizationId" = ${organization(build)} and u.id = ${caller(build)})`;
}
