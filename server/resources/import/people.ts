import { newId } from "../../id.ts";
import { addLink, create } from "../../write/change.ts";
import { type Author, type Batch, type Names, personKey } from "./batch.ts";
import type { Person } from "./input.ts";

/** A member with that address; else somebody without an account, who is made at the first mention. */
export function author(batch: Batch, person: Person | null | undefined): Author | undefined {
  if (!person) return undefined;
  return batch.members.get(person.email ?? "") ?? outsider(batch, person);
}

/** The same for whom issues are assigned to: a former member or an agent is named as somebody without an account. */
export function assignee(batch: Batch, person: Person | null | undefined): Author | undefined {
  const found = author(batch, person);
  return person && found && "userId" in found && !found.assignable ? outsider(batch, person) : found;
}

function outsider(batch: Batch, { name, email }: Person): Author {
  const key = personKey(name, email);
  const there = batch.people.get(key);
  if (there) return there;
  const id = newId();
  create(batch.write, "ExternalUser", { id, name, displayName: name, email: email ?? null });
  batch.people.set(key, { externalUserId: id });
  return { externalUserId: id };
}

/** Keeps the ids that something had elsewhere, so that the next import knows it. */
export function keepNames(
  { write, source }: Batch,
  type: "Issue" | "Comment",
  entityId: string,
  { externalId, externalIds }: Names,
): void {
  const own = externalId ? [`${source}:${externalId}`] : [];
  for (const name of new Set([...own, ...(externalIds ?? [])])) {
    const at = name.indexOf(":");
    addLink(write, "externalId", { type, source: name.slice(0, at), externalId: name.slice(at + 1), entityId });
  }
}
