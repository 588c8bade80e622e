import { inputError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { create } from "../../write/change.ts";
import { type Batch, known, namesOf, type Outcome, referred } from "./batch.ts";
import type { RowOf } from "./input.ts";
import { memberId, outsiderId } from "./issue.ts";
import { author, keepNames } from "./people.ts";

/** Imports a comment on an issue, unless it is there already. An answer to an answer joins the thread. */
export function importComment(batch: Batch, fields: RowOf<"comment">): Outcome {
  const there = known(batch.comments, batch, fields);
  if (there) return { status: "exists", entityId: there.id };
  const issueId = referred(batch.issues, batch, { field: "issue", what: "issue", ref: fields.issue });
  const parent = fields.parent
    ? referred(batch.comments, batch, { field: "parent", what: "comment", ref: fields.parent })
    : undefined;
  if (parent && parent.issueId !== issueId) {
    throw inputError(`${fields.parent} is a comment on another issue; name one on ${fields.issue}`, "parent");
  }
  const id = fields.id ?? newId();
  const who = author(batch, fields.author);
  const { body, createdAt, updatedAt, editedAt, resolvedAt } = fields;
  const thread = { id, issueId, parentId: parent ? (parent.parentId ?? parent.id) : null };
  const people = { userId: memberId(who), externalUserId: outsiderId(who) };
  const moments = { createdAt, updatedAt: updatedAt ?? createdAt, editedAt, resolvedAt };
  create(batch.write, "Comment", { ...thread, ...people, ...moments, body });
  keepNames(batch, "Comment", id, fields);
  for (const name of [...namesOf(batch.source, fields), id]) batch.comments.set(name, thread);
  return { status: "created", entityId: id };
}
