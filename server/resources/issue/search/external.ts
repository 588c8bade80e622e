import { organization } from "../../../read/row.ts";
import { type Search, value } from "./parts.ts";
import type { Term } from "./term.ts";

/**
 * SQL of the ids of issues that had one of some words as their id where they were imported from, alone or after its
 * source: bd-a1, jira:SITE-7. The words are made of the term; an index has them.
 * Raw SQL: a part of what the read planner writes.
 */
export function externallyNamed(search: Search, key: string, of: (term: Term, whole: string) => string[]): string {
  const org = organization(search.build);
  const names = value(search, key, "text[]", (term, whole) => of(term, whole).flatMap(namesIn));
  return `select e."entityId" from "externalId" e where e."organizationId" = ${org} and e.type = 'Issue'
    and lower(e."externalId") = any(array(select lower(w) from unnest(${names}) w))`;
}

/** A word, and what is behind the source in it. */
function namesIn(name: string): string[] {
  const colon = name.indexOf(":");
  return colon < 0 ? [name] : [name, name.slice(colon + 1)];
}
