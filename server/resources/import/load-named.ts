import { isUuid } from "../../../formats/uuid.ts";
import {
  type CommentThread,
  distinctValues,
  type ImportBatch,
  listRowIdentifiers,
  queryOrganizationRows,
} from "./batch.ts";
import type { ValidImportRow } from "./input.ts";

/** Returns the ids of all issues and comments that rows import or refer to, separately for issues and comments. */
function namesIn(source: string, rows: readonly ValidImportRow[]): { Issue: string[]; Comment: string[] } {
  const wanted = { Issue: [] as string[], Comment: [] as string[] };
  const refer = (ref: string) => (isUuid(ref) ? [ref.toLowerCase(), `${source}:${ref}`] : [`${source}:${ref}`]);
  for (const { kind, fields } of rows) {
    if (kind === "issue") wanted.Issue.push(...listRowIdentifiers(source, fields));
    else if (kind === "comment") {
      wanted.Issue.push(...refer(fields.issue));
      wanted.Comment.push(...listRowIdentifiers(source, fields), ...(fields.parent ? refer(fields.parent) : []));
    } else if (kind === "parent") wanted.Issue.push(...refer(fields.issue), ...refer(fields.parent));
    else if (kind === "relation") wanted.Issue.push(...refer(fields.issue), ...refer(fields.relatedIssue));
  }
  return wanted;
}

/** Reads the named issues and comments, and the identifiers in use. Raw SQL: each list is a single parameter. */
export async function loadNamedIssuesAndComments(batch: ImportBatch, rows: readonly ValidImportRow[]): Promise<void> {
  const wanted = namesIn(batch.source, rows);
  const pairs = (["Issue", "Comment"] as const).flatMap((type) =>
    distinctValues(wanted[type])
      .filter((name) => name.includes(":"))
      .map((name) => [type, name.slice(0, name.indexOf(":")), name.slice(name.indexOf(":") + 1)]),
  );
  const identifiers = rows.flatMap(({ kind, fields }) =>
    kind === "issue" ? distinctValues([fields.identifier, ...(fields.previousIdentifiers ?? [])]) : [],
  );
  const all = [...pairs, ...distinctValues(identifiers).map((identifier) => ["Issue", "", identifier])];
  if (all.length === 0) return;
  const found = await queryOrganizationRows<{
    type: "Issue" | "Comment";
    source: string;
    externalId: string;
    entityId: string;
  }>(
    batch,
    `select e.type, e.source, e."externalId", e."entityId"
      from unnest($2::text[], $3::text[], $4::text[]) w (type, source, id)
      join "externalId" e on e."organizationId" = $1 and e.type = w.type and e.source = w.source and e."externalId" = w.id`,
    [0, 1, 2].map((at) => all.map((each) => each[at])),
  );
  const idOf = new Map(
    found.map(({ type, source, externalId, entityId }) => [`${type} ${source}:${externalId}`, entityId]),
  );
  for (const { source, externalId } of found) if (source === "") batch.identifiers.add(externalId);
  await loadIssues(batch, wanted.Issue, idOf);
  await loadComments(batch, wanted.Comment, idOf);
}

async function loadIssues(
  batch: ImportBatch,
  names: readonly string[],
  idOf: ReadonlyMap<string, string>,
): Promise<void> {
  const own = names.filter(isUuid);
  if (own.length > 0) {
    const rows = await queryOrganizationRows<{ id: string }>(
      batch,
      `select id from issue where "organizationId" = $1 and id = any($2::uuid[])`,
      [own],
    );
    for (const { id } of rows) batch.issues.set(id, id);
  }
  for (const name of names) {
    const id = idOf.get(`Issue ${name}`);
    if (id) batch.issues.set(name, id);
  }
}

async function loadComments(
  batch: ImportBatch,
  names: readonly string[],
  idOf: ReadonlyMap<string, string>,
): Promise<void> {
  const ids = names.map((name) => idOf.get(`Comment ${name}`) ?? name).filter(isUuid);
  if (ids.length === 0) return;
  const rows = await queryOrganizationRows<CommentThread>(
    batch,
    `select id, "issueId", "parentId" from comment where "organizationId" = $1 and id = any($2::uuid[])`,
    [ids],
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const name of names) {
    const row = byId.get(idOf.get(`Comment ${name}`) ?? name);
    if (row) batch.comments.set(name, row);
  }
}
