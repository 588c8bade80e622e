import { isObject } from "../../../formats/json.ts";
import type { Entity } from "../../read/entity.ts";
import { model } from "../../resources/index.ts";
import { systemScope } from "../../scope.ts";
import { update } from "../../write/change.ts";
import { find } from "../../write/find.ts";
import { load } from "../../write/load.ts";
import { mutate } from "../../write/mutate.ts";
import type { Means } from "../commands.ts";
import type { Target } from "./catalog.ts";
import { FOLLOWED } from "./events.ts";
import { type Row, readRows, writeRow } from "./rows.ts";
import { newMarks, type Rules, redactedValues } from "./values.ts";

/** The number of secrets that were found, by column and kind. */
export type Found = Map<string, Map<string, number>>;

/** A table of an organization that is gone through. */
export interface Work {
  means: Means;
  tenant: string;
  target: Target;
  rules: Rules;
  isApplied: boolean;
  found: Found;
}

/** Reads some rows and takes the secrets out of them. Most rows hold none, and nobody waits for the reading. */
export async function redactSlice(work: Work, keys: readonly string[][]): Promise<void> {
  const { means, target, tenant, rules, isApplied } = work;
  const rows = await means.db.query<Row>(readRows(target, { tenant, keys }));
  const changed = rows.filter((row) => {
    const values = redactedValues(target, row, rules);
    note(work, row, values);
    return Object.keys(values).length > 0;
  });
  if (!isApplied || changed.length === 0) return;
  const entity = [...model.values()].find(({ table, event }) => table === target.name && event !== undefined);
  if (entity) await changeEntities(work, entity, changed);
  else for (const { key } of changed) await changeRow(work, key);
}

function note({ target, found }: Work, row: Row, values: Readonly<Record<string, string>>): void {
  for (const [column, value] of Object.entries(values)) {
    const name = `${target.name}.${column}`;
    const kinds = found.get(name) ?? new Map<string, number>();
    found.set(name, kinds);
    for (const [kind, count] of Object.entries(newMarks(row.values[column], value)))
      kinds.set(kind, (kinds.get(kind) ?? 0) + count);
  }
}

/** Reads the row again under its lock: it may have changed since. */
async function changeRow({ means, target, tenant, rules }: Work, key: string[]): Promise<void> {
  const follower = FOLLOWED[target.name];
  const read = readRows(target, { tenant, keys: [key], isLocked: true, ...(follower && { more: follower.more }) });
  await means.db.transaction(async (trx) => {
    const [row] = await trx.query<Row>(read);
    const values = row && redactedValues(target, row, rules);
    if (!values || Object.keys(values).length === 0) return;
    if (follower) await follower.write(trx, target, { tenant, row, values });
    else await writeRow(trx, target, { tenant, key, values });
  });
}

/** Rows of the change log's entities are changed by mutations, so that open pages, searches and caches follow. */
async function changeEntities({ means, target, tenant, rules }: Work, entity: Entity, rows: readonly Row[]) {
  const scope = systemScope(means, tenant);
  await mutate(scope, model, async (write) => {
    await load(
      write,
      rows.map(({ key: [id] }) => [entity.name, id]),
    );
    for (const {
      key: [id = ""],
    } of rows) {
      const row = await find(write, entity.name, id);
      if (!row) continue;
      const texts = target.columns.map(({ name }) => [
        name,
        isObject(row[name]) ? JSON.stringify(row[name]) : row[name],
      ]);
      const values = redactedValues(target, { key: [id], values: Object.fromEntries(texts) }, rules);
      update(write, entity.name, row, values, { forgets: true });
    }
    return {};
  });
}
