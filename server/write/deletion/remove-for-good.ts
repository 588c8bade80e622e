import { conflict } from "../../errors.ts";
import { remove } from "../change.ts";
import type { Found } from "../rows.ts";
import type { Write } from "../write.ts";
import { clearAway, dealWith, MOST, type Removal } from "./clear-away.ts";
import { type DependentLink, type DependentPairs, dependentsOf } from "./dependents.ts";

/**
 * Removes a row for good, and does with everything that links to it what the links declare. A `silent` removal makes
 * no change of its own: the log has the change that moved the row to the trash.
 * @throws conflict for a link that refuses, or one with more rows than one transaction changes
 */
export async function removeForGood(write: Write, name: string, row: Found, silent?: "silent"): Promise<void> {
  const removal: Removal = { write, limit: MOST, going: new Map() };
  await clearAway(removal, name, [row.id]);
  if (removal.unfinished) throw tooMany(name, removal.unfinished);
  remove(write, name, row, silent);
}

/**
 * Removes a row from the trash, silently, and deals with at most `limit` rows of a link at a time. Returns whether it
 * was removed; otherwise the next call goes on.
 */
export async function purge(write: Write, name: string, row: Found, limit = 500): Promise<boolean> {
  const removal: Removal = { write, limit, going: new Map() };
  await clearAway(removal, name, [row.id]);
  if (removal.unfinished) return false;
  remove(write, name, row, "silent");
  return true;
}

/**
 * Empties every link that its declaration empties when the row goes for good; the row itself stays.
 * @throws conflict for a link with more rows than one transaction changes
 */
export async function detach(write: Write, name: string, { id }: { id: string }): Promise<void> {
  const removal: Removal = { write, limit: MOST, going: new Map() };
  const { links } = dependentsOf(write.model, name);
  for (const link of links) if (link.onDelete === "detach") await dealWith(removal, link, [id]);
  if (removal.unfinished) throw tooMany(name, removal.unfinished);
}

function tooMany(name: string, link: DependentLink | DependentPairs) {
  const { name: others } = "owner" in link ? link.owner : link.entity;
  return conflict(`more than ${MOST} rows of type ${others} refer to this ${name}; change those in batches first`);
}
