import { knex, toStatement } from "../../../db/builder.ts";
import { dropLinks, update } from "../change.ts";
import { targets } from "../find.ts";
import type { DependentPairs } from "./dependents.ts";
import { type Removal, withinLimit } from "./removal.ts";

/** Drops the pairs of a link table; each row on the side that publishes them gets a change. */
export async function dropPairs(removal: Removal, each: DependentPairs, ids: readonly string[]): Promise<void> {
  const { write, going, limit } = removal;
  const { pairs, owner, own } = each;
  const { table, from, to, publishedAs = "" } = pairs;
  if (own) {
    for (const id of ids) dropLinks(write, table, { [from]: id });
    return;
  }
  const others = knex(table)
    .where({ organizationId: write.scope.organizationId })
    .whereRaw("?? = any(?::uuid[])", [to, [...ids]])
    .whereRaw("?? <> all(?::uuid[])", [from, [...(going.get(owner.name) ?? [])]]);
  const rows = await write.trx.query<{ id: string }>(
    toStatement(
      others
        .distinct({ id: from })
        .orderBy("id")
        .limit(limit + 1),
      { reads: [table] },
    ),
  );
  const owners = withinLimit(
    removal,
    each,
    rows.map(({ id }) => id),
  );
  for (const row of await targets(write, owner.name, owners)) {
    const before = row[publishedAs] as string[];
    const after = before.filter((id) => !ids.includes(id));
    update(write, owner.name, row, {}, { also: { [publishedAs]: { before, after } } });
    for (const id of ids) dropLinks(write, table, { [from]: row.id, [to]: id });
  }
}
