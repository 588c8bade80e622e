import { type DocumentNode, GraphQLError, Kind, type SelectionSetNode, visit } from "graphql";

/** Limits of a document. Every document that known clients send stays within the limits. */
export const MAX_TOKENS = 2_000;
export const MAX_DEPTH = 15;
/** Maximum number of fields after fragments are expanded. */
export const MAX_SELECTED = 1_500;
/** Maximum bytes per response. A page may contain texts of 1 MiB, and pages can be nested. */
export const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
const MAX_ALIASES = 50;
const MAX_DIRECTIVES = 50;
/**
 * Maximum number of repeated fields in a document. A field is repeated if the same braces contain its response key more
 * than once.
 */
const MAX_REPEATED = 20;

/**
 * Rejects excessive documents before validation.
 * @throws GraphQLError with the limit that the document exceeds.
 */
export function checkDocumentLimits(document: DocumentNode): void {
  let aliases = 0;
  let directives = 0;
  let repeated = 0;
  visit(document, {
    Field: ({ alias }) => {
      if (alias) aliases += 1;
    },
    Directive: () => {
      directives += 1;
    },
    SelectionSet: (set) => {
      repeated += repeatedIn(set);
    },
  });
  refuse(aliases > MAX_ALIASES, `use at most ${MAX_ALIASES} aliases in a document`);
  refuse(directives > MAX_DIRECTIVES, `use at most ${MAX_DIRECTIVES} directives in a document`);
  refuse(repeated > MAX_REPEATED, `do not select the same field again and again: at most ${MAX_REPEATED} times`);
}

function refuse(when: boolean, message: string): void {
  if (when) throw new GraphQLError(message);
}

function repeatedIn({ selections }: SelectionSetNode): number {
  const keys = selections.flatMap((each) => (each.kind === Kind.FIELD ? [(each.alias ?? each.name).value] : []));
  return keys.length - new Set(keys).size;
}
