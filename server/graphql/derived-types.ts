import {
  type DefinitionNode,
  type DocumentNode,
  type InputObjectTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  visit,
} from "graphql";
import { withDerivedFields } from "./derived-fields.ts";
import { baseOf, filterText, linkFilter } from "./derived-filters.ts";
import { pluralOf, wordsOf } from "./type-words.ts";

/** Definitions by name. */
type Definitions = Map<string, DefinitionNode>;

/**
 * Types that every resource needs in the same form, and that the SDL therefore only names: a page of a type and its
 * entries (`XConnection`, `XEdge`), conditions on a type (`XFilter`) and on a link to one or to several of its rows
 * (`NullableXFilter`, `XCollectionFilter`), the answers of its mutations (`XPayload`, `XArchivePayload`), changes that
 * take what its creation takes (`XUpdateInput`), the fields of every resource and the arguments of lists. What the SDL defines itself is left alone.
 */
export function withDerivedTypes(sdl: DocumentNode): DocumentNode {
  const document = withDerivedFields(sdl);
  const all: Definitions = new Map(document.definitions.map((node) => [nameOf(node), node]));
  const written = new Set(all.keys());
  const derived: DefinitionNode[] = [];
  const names = [...namesIn(document)];
  // Derived types name others in their turn, which are walked too.
  for (const name of names) {
    if (all.has(name)) continue;
    for (const node of derivedOf(name, all, written)) {
      all.set(nameOf(node), node);
      derived.push(node);
      names.push(...namesIn(node));
    }
  }
  return { kind: Kind.DOCUMENT, definitions: [...document.definitions, ...derived] };
}

const nameOf = (node: DefinitionNode): string => ("name" in node && node.name?.value) || "";

/** Every type that is named anywhere, in the order of the text. */
function namesIn(node: DocumentNode | DefinitionNode): Set<string> {
  const names = new Set<string>();
  visit(node, { NamedType: ({ name }) => void names.add(name.value) });
  return names;
}

function derivedOf(name: string, all: Definitions, written: ReadonlySet<string>): readonly DefinitionNode[] {
  const base = baseOf(name);
  if (base !== name) {
    const [filter] = all.has(base) ? [all.get(base)] : derivedOf(base, all, written);
    return filter?.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION ? [linkFilter(name, filter)] : [];
  }
  const created = all.get(name.replace(/UpdateInput$/, "CreateInput"));
  if (created?.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION) return [updateInput(name, created)];
  const [, of = "", form] = /^(.*?)(Connection|Filter|ArchivePayload|Payload)$/.exec(name) ?? [];
  const type = all.get(of);
  if (type?.kind !== Kind.OBJECT_TYPE_DEFINITION) return [];
  return parse(textOf(type, form, written), { noLocation: true }).definitions;
}

/** The input of a change, of that of a creation: all but the id, and none of it must be given. */
function updateInput(name: string, created: InputObjectTypeDefinitionNode): InputObjectTypeDefinitionNode {
  const text = `Changes to a ${wordsOf(name.replace(/UpdateInput$/, ""))}; what is absent stays as it is.`;
  const fields = created.fields
    ?.filter((field) => field.name.value !== "id")
    .map((field) => (field.type.kind === Kind.NON_NULL_TYPE ? { ...field, type: field.type.type } : field));
  const description = { kind: Kind.STRING, value: text } as const;
  return { ...created, description, name: { ...created.name, value: name }, fields: fields ?? [] };
}

function textOf(type: ObjectTypeDefinitionNode, form: string | undefined, written: ReadonlySet<string>): string {
  const { value: of } = type.name;
  if (form === "Connection") return connectionText(of);
  return form === "Filter" ? filterText(type, written) : payloadText(`${of}${form}`, of, form === "ArchivePayload");
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
    "Whether ${DERIVED[name]}: after a restore a server makes up for that by itself, so ask again."
    incomplete: Boolean!`
        : ""
    }${
      name === "RecordedSession"
        ? `
    "Back to when sessions were read for a text, where there is too much of it. Null when all were, or the page is full."
    searchedSince: DateTime`
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
