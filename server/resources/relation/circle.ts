import { AppError } from "../../errors.ts";
import type { Found } from "../../write/rows.ts";
import { addedRows, keyOf, type Write } from "../../write/write.ts";

interface NewBlock {
  issue: Found<"Issue">;
  related: Found<"Issue">;
  /** A relation that the new one replaces. */
  except?: string | undefined;
}

/** An issue that was reached, and the one that blocks it. */
interface Step {
  id: string;
  by: string;
}

/**
 * Refuses a relation by which an issue would wait for itself: walks from what it is to block along everything that that
 * blocks in turn. Each issue is reached once, level by level, so the path named is a shortest one.
 * @throws AppError conflict that names the path
 */
export async function refuseCircle(write: Write, { issue, related, except }: NewBlock): Promise<void> {
  const reached = new Map<string, string | undefined>([[related.id, undefined]]);
  const added = addedSteps(write);
  // A new issue has no relations but new ones.
  const isNew = new Set(addedRows(write, "issue").map(({ id }) => id));
  for (let level = [related.id]; level.length > 0 && !reached.has(issue.id); ) {
    const stored = level.filter((id) => !isNew.has(id));
    const steps = [
      ...added.filter(({ by }) => level.includes(by)),
      ...(stored.length > 0 ? await storedSteps(write, stored, except) : []),
    ];
    const fresh = steps.filter(({ id }) => !reached.has(id));
    for (const { id, by } of fresh) reached.set(id, by);
    level = [...new Set(fresh.map(({ id }) => id))];
  }
  if (!reached.has(issue.id)) return;
  const path = [issue.id];
  for (let by = reached.get(issue.id); by !== undefined; by = reached.get(by)) path.unshift(by);
  const names = await identifiers(write, path);
  const told = [issue.id, ...path].map((id) => names.get(id)).join(" → ");
  throw new AppError(
    "conflict",
    `they would block each other in a circle: ${told}; delete one of these relations first`,
    {
      extensions: { path: path.map((id) => names.get(id)) },
    },
  );
}

/** The steps that the mutation adds: no statement sees them yet. */
const addedSteps = (write: Write): Step[] =>
  addedRows(write, "issueRelation")
    .filter(({ type }) => type === "blocks")
    .map(({ issueId, relatedIssueId }) => ({ id: String(relatedIssueId), by: String(issueId) }));

/** The issues that some block, each with one that does. Raw SQL: prepared, with a list. */
const storedSteps = ({ scope, trx }: Write, ids: readonly string[], except: string | undefined): Promise<Step[]> =>
  trx.query<Step>({
    name: "blocked-by",
    text: `select distinct on ("relatedIssueId") "relatedIssueId" as id, "issueId" as by from "issueRelation"
      where "organizationId" = $1 and "issueId" = any($2::uuid[]) and type = 'blocks' and id is distinct from $3::uuid
      order by "relatedIssueId", "issueId"`,
    values: [scope.organizationId, ids, except ?? null],
    reads: ["issueRelation"],
    writes: [],
  });

/** The identifiers of issues by their ids; the titles of new ones. */
async function identifiers(write: Write, ids: readonly string[]): Promise<Map<string, string>> {
  const { scope, trx } = write;
  const rows = await trx.query<{ id: string; name: string }>({
    text: `select i.id, t.key || '-' || i.number as name from issue i
      join team t on t."organizationId" = i."organizationId" and t.id = i."teamId"
      where i."organizationId" = $1 and i.id = any($2::uuid[])`,
    values: [scope.organizationId, ids],
    reads: ["issue", "team"],
    writes: [],
  });
  const titles = ids.map((id) => [id, String(write.rows.get(keyOf("Issue", id))?.["title"])] as const);
  return new Map([...titles, ...rows.map(({ id, name }) => [id, name] as const)]);
}
