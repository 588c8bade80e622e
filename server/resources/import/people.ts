import { newId } from "../../id.ts";
import { createRow, insertLinkRow } from "../../write/change.ts";
import { type Author, type ImportBatch, personKey, type RowIdentifiers } from "./batch.ts";
import type { Person } from "./input.ts";

/** Returns the member with the address, else the external user. An external user is created at the first mention. */
export function findOrCreateAuthor(batch: ImportBatch, person: Person | null | undefined): Author | undefined {
  if (!person) return undefined;
  return batch.members.get(person.email ?? "") ?? outsider(batch, person);
}

/**
 * Returns the assignee of an issue. A former member and an agent cannot be assigned, so an external user takes their
 * place.
 */
export function findOrCreateAssignee(batch: ImportBatch, person: Person | null | undefined): Author | undefined {
  const found = findOrCreateAuthor(batch, person);
  return person && found && "userId" in found && !found.assignable ? outsider(batch, person) : found;
}

function outsider(batch: ImportBatch, { name, email }: Person): Author {
  const key = personKey(name, email);
  const there = batch.people.get(key);
  if (there) return there;
  const id = newId();
  createRow(batch.write, "ExternalUser", { id, name, displayName: name, email: email ?? null });
  batch.people.set(key, { externalUserId: id });
  return { externalUserId: id };
}

/** Stores the external ids of a row, so that the next import recognizes the row. */
export function storeExternalIds(
  { write, source }: ImportBatch,
  type: "Issue" | "Comment",
  entityId: string,
  { externalId, externalIds }: RowIdentifiers,
): void {
  const own = externalId ? [`${source}:${externalId}`] : [];
  for (const name of new Set([...own, ...(externalIds ?? [])])) {
    const at = name.indexOf(":");
    insertLinkRow(write, "externalId", { type, source: name.slice(0, at), externalId: name.slice(at + 1), entityId });
  }
}
