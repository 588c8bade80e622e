import { inputError } from "../../errors.ts";
import { update } from "../../write/change.ts";
import { target } from "../../write/find.ts";
import { load } from "../../write/load.ts";
import { type Batch, type Outcome, referred } from "./batch.ts";
import type { Row, RowOf } from "./input.ts";

/** The parents of issues. */
export type Family = Map<string, string>;

/** Reads the issues of all rows that set a parent, and everything above the parents, once a call. */
export async function loadFamily(batch: Batch, rows: readonly Row[]): Promise<Family> {
  const pairs = rows.flatMap(({ kind, fields }) => (kind === "parent" ? [fields] : []));
  const idOf = (ref: string) => batch.issues.get(`${batch.source}:${ref}`) ?? batch.issues.get(ref.toLowerCase());
  const ids = (end: "issue" | "parent") => [...new Set(pairs.flatMap((pair) => idOf(pair[end]) ?? []))];
  if (pairs.length === 0) return new Map();
  await load(
    batch.write,
    ids("issue").map((id) => ["Issue", id] as const),
  );
  return new Map((await ancestors(batch, ids("parent"))).map(({ id, parentId }) => [id, parentId]));
}

/** Raw SQL: recursive, up the parents. */
const ancestors = ({ write }: Batch, ids: readonly string[]) =>
  write.trx.query<{ id: string; parentId: string }>({
    name: "ancestors",
    text: `with recursive up (id, "parentId") as (
        select id, "parentId" from issue where "organizationId" = $1 and id = any($2::uuid[])
        union select i.id, i."parentId" from issue i join up on i.id = up."parentId" where i."organizationId" = $1)
      select id, "parentId" from up where "parentId" is not null`,
    values: [write.scope.organizationId, ids],
    reads: ["issue"],
    writes: [],
  });

/** Makes an issue a part of another, unless it is a part of one. @throws inputError for a circle, naming its path */
export async function importParent(batch: Batch, fields: RowOf<"parent">, above: Family): Promise<Outcome> {
  const id = referred(batch.issues, batch, { field: "issue", what: "issue", ref: fields.issue });
  const parentId = referred(batch.issues, batch, { field: "parent", what: "issue", ref: fields.parent });
  const before = await target(batch.write, "Issue", id);
  if (before.parentId || above.has(id)) return { status: "exists", entityId: id };
  for (let up: string | undefined = parentId; up; up = above.get(up)) {
    if (up !== id) continue;
    throw inputError(`${fields.issue} would be a part of itself through ${fields.parent}; break the circle`, "parent");
  }
  above.set(id, parentId);
  // When it last changed is what the issue's own row said.
  update(batch.write, "Issue", before, { parentId }, { updatedAt: before.updatedAt });
  return { status: "created", entityId: id };
}
