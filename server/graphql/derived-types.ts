import { type DefinitionNode, type DocumentNode, Kind, type ObjectTypeDefinitionNode, parse, visit } from "graphql";
import { filterText } from "./derived-filters.ts";
import { pluralOf, wordsOf } from "./type-words.ts";

/**
 * Types that every resource needs in the same form, and that the SDL therefore only names: a page of a type and its
 * entries (`XConnection`, `XEdge`), conditions on a type (`XFilter`), and what its mutations answer (`XPayload`,
 * `XArchivePayload`). One that the SDL defines itself is left alone.
 */
export function withDerivedTypes(document: DocumentNode): DocumentNode {
  const types = new Map(document.definitions.filter(isObjectType).map((type) => [type.name.value, type]));
  const defined = new Set(document.definitions.map(nameOf));
  const derived: DefinitionNode[] = [];
  for (const name of namesIn(document)) {
    const text = defined.has(name) ? undefined : textOf(name, types, defined);
    if (text) derived.push(...parse(text, { noLocation: true }).definitions);
  }
  return { kind: Kind.DOCUMENT, definitions: [...document.definitions, ...derived] };
}

type Types = ReadonlyMap<string, ObjectTypeDefinitionNode>;

const isObjectType = (node: DefinitionNode): node is ObjectTypeDefinitionNode =>
  node.kind === Kind.OBJECT_TYPE_DEFINITION;

const nameOf = (node: DefinitionNode): string => ("name" in node && node.name?.value) || "";

/** Every type that is named anywhere, in the order of the document. */
function namesIn(document: DocumentNode): Set<string> {
  const names = new Set<string>();
  visit(document, { NamedType: ({ name }) => void names.add(name.value) });
  return names;
}

function textOf(name: string, types: Types, defined: ReadonlySet<string>): string | undefined {
  const [, of = "", form] = /^(.*?)(Connection|Filter|ArchivePayload|Payload)$/.exec(name) ?? [];
  const type = types.get(of);
  if (!type) return undefined;
  if (form === "Connection") return connectionText(of);
  return form === "Filter" ? filterText(type, defined) : payloadText(name, of, form === "ArchivePayload");
}

/** Lists of what jobs derive, and what of it may not be there yet. */
const DERIVED: Readonly<Record<string, string>> = {
  RecordedFailureGroup: "failures of older events are still to be grouped",
  RecordedSession: "sessions are still to be counted, by which they are sorted, or looked through for issues",
  IssueSession: "sessions are still to be looked through for issues",
};

const connectionText = (name: string): string => `
  "A page of ${pluralOf(name)}."
  type ${name}Connection {
    "The entries themselves."
    nodes: [${name}!]!
    "The entries with their cursors."
    edges: [${name}Edge!]!
    "Where the page begins and ends."
    pageInfo: PageInfo!${
      DERIVED[name]
        ? `
    "Whether ${DERIVED[name]}: after an upgrade or a restore a server makes up for that by itself, so ask again."
    incomplete: Boolean!`
        : ""
    }
  }
  "One entry of a page of ${pluralOf(name)}."
  type ${name}Edge {
    "The entry."
    node: ${name}!
    "Its place in the list."
    cursor: String!
  }`;

const payloadText = (name: string, of: string, archived: boolean): string => `
  "What a mutation of a ${wordsOf(of)} answers."
  type ${name} {
    "True: a mutation that fails answers an error instead."
    success: Boolean!
    "The ${wordsOf(of)} after the mutation."
    ${archived ? "entity" : of.charAt(0).toLowerCase() + of.slice(1)}: ${of}
    "Number of the last change of the organization after this mutation."
    lastSyncId: Float!
  }`;
