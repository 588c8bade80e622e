import type { Build } from "../../../read/entity.ts";
import { bind, organization } from "../../../read/row.ts";
import { argsOf, type Selection } from "../../../read/selection.ts";

/**
 * SQL of the ids of issues that had one of some words as their id where they were imported from, alone or after its
 * source: bd-a1, jira:SITE-7. The words are made of the term; an index has them.
 * Raw SQL: a part of what the read planner writes.
 */
export function externallyNamed(
  build: Build,
  selection: Selection,
  key: string,
  of: (term: string) => string[],
): string {
  const names = bind(build, `${selection.argumentIndex}.${key}`, "text[]", ({ args }) =>
    of(String(argsOf(selection, args).term)).flatMap(namesIn),
  );
  return `select e."entityId" from "externalId" e where e."organizationId" = ${organization(build)} and e.type = 'Issue'
    and lower(e."externalId") = any(array(select lower(w) from unnest(${names}) w))`;
}

/** A word, and what is behind the source in it. */
function namesIn(word: string): string[] {
  const name = word.replaceAll("\0", "\uFFFD");
  const colon = name.indexOf(":");
  return colon < 0 ? [name] : [name, name.slice(colon + 1)];
}
