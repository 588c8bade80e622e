import {
  type DefinitionNode,
  type DocumentNode,
  type InputObjectTypeDefinitionNode,
  type InputObjectTypeExtensionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  type TypeNode,
  visit,
} from "graphql";
import { readOwn } from "../../formats/own.ts";
import { withDerivedFields } from "./derived-fields.ts";
import { baseOf, comparator, filterText, linkFilter, sortInput } from "./derived-filters.ts";
import { oneOf, pluralOf, wordsOf } from "./type-words.ts";

/** Types that stand, and additions to those that do not. */
interface Definitions {
  all: Map<string, DefinitionNode>;
  written: ReadonlySet<string>;
  additions: ReadonlyMap<string, InputObjectTypeExtensionNode>;
}

/**
 * Types that every resource needs in the same form, and that the SDL therefore only names: a page of a type and its
 * entries (`XConnection`, `XEdge`), conditions on a type (`XFilter`), on a link to one or to several of its rows
 * (`NullableXFilter`, `XCollectionFilter`) and on a value (`XComparator`), an order (`XSort`), the answers of its mutations
 * (`XPayload`, `XArchivePayload`), a change (`XUpdateInput`), what a search finds (`XSearchResult`), the fields of every
 * resource and the arguments of lists. What the SDL defines itself is left alone.
 */
export function withDerivedTypes(sdl: DocumentNode): DocumentNode {
  const document = withDerivedFields(sdl);
  const all = new Map<string, DefinitionNode>();
  const additions = new Map<string, InputObjectTypeExtensionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.INPUT_OBJECT_TYPE_EXTENSION) additions.set(nameOf(node), node);
    else all.set(nameOf(node), node);
  }
  const definitions = { all, additions, written: new Set(all.keys()) };
  const names = [...namesIn(document)];
  // Derived types name others in their turn, which are walked too.
  for (const name of names) {
    if (all.has(name)) continue;
    for (const node of derivedOf(name, definitions)) {
      all.set(nameOf(node), node);
      names.push(...namesIn(node));
    }
  }
  return { kind: Kind.DOCUMENT, definitions: [...all.values()] };
}

const nameOf = (node: DefinitionNode): string => ("name" in node && node.name?.value) || "";

/** Every type that is named anywhere, in the order of the text. */
function namesIn(node: DocumentNode | DefinitionNode): Set<string> {
  const names = new Set<string>();
  visit(node, { NamedType: ({ name }) => void names.add(name.value) });
  return names;
}

function derivedOf(name: string, definitions: Definitions): readonly DefinitionNode[] {
  const { all, written, additions } = definitions;
  const base = baseOf(name);
  if (base !== name) {
    const [filter] = all.has(base) ? [all.get(base)] : derivedOf(base, definitions);
    return filter?.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION ? [linkFilter(name, filter)] : [];
  }
  const created = all.get(name.replace(/UpdateInput$/, "CreateInput"));
  if (created?.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION) return [updateInput(name, created, additions.get(name))];
  if (name.endsWith("Comparator")) return [comparator(name, all)].filter((node) => node !== undefined);
  if (name.endsWith("Sort")) return [sortInput(name)];
  const [, of = "", form = ""] = /^(.*?)(Connection|Edge|SearchResult|Filter|ArchivePayload|Payload)$/.exec(name) ?? [];
  const type = all.get(of);
  if (type?.kind !== Kind.OBJECT_TYPE_DEFINITION) return [];
  if (form === "SearchResult") return [searchResult(name, type)];
  return parse(textOf(type, form, written), { noLocation: true }).definitions;
}

const describedBy = (value: string) => ({ kind: Kind.STRING, value }) as const;

/**
 * The input of a change, of that of a creation: all but the id and what is said once, and none of it must be given. What an
 * extension of it says goes before, or beside it.
 */
function updateInput(
  name: string,
  created: InputObjectTypeDefinitionNode,
  addition: InputObjectTypeExtensionNode | undefined,
): InputObjectTypeDefinitionNode {
  const added = addition?.fields ?? [];
  const replaced = new Set(["id", ...added.map((field) => field.name.value)]);
  const fields = (created.fields ?? [])
    .filter((field) => !replaced.has(field.name.value) && !field.directives?.some(({ name }) => name.value === "fixed"))
    .map((field) => (field.type.kind === Kind.NON_NULL_TYPE ? { ...field, type: field.type.type } : field));
  const text = `Changes to ${oneOf(name.replace(/UpdateInput$/, ""))}; what is absent stays as it is.`;
  return {
    ...created,
    description: describedBy(text),
    name: { ...created.name, value: name },
    fields: [...fields, ...added],
  };
}

/** The page of an entry that what a search finds has, and what it has not: that costs too much to read for every hit. */
const SHOWN_PAGE = "labels";
const LEFT_OUT = new Set(["handover", "lastEdit", "lease", "proof"]);

/** An entry that a search finds: it has what its type has, but for pages and the like. */
const searchResult = (name: string, { fields = [], ...type }: ObjectTypeDefinitionNode): ObjectTypeDefinitionNode => ({
  ...type,
  description: describedBy(`${oneOf(type.name.value)} found by a search.`.replace(/^a/, "A")),
  name: { ...type.name, value: name },
  interfaces: [],
  fields: fields.filter(
    (field) => field.name.value === SHOWN_PAGE || !(LEFT_OUT.has(field.name.value) || leadsToRows(field.type)),
  ),
});

/** True of the type of a page, or of a list of rows. */
function leadsToRows(type: TypeNode, inList = false): boolean {
  if (type.kind === Kind.NAMED_TYPE)
    return type.name.value.endsWith("Connection") || (inList && type.name.value !== "String");
  return leadsToRows(type.type, inList || type.kind === Kind.LIST_TYPE);
}

function textOf(type: ObjectTypeDefinitionNode, form: string, written: ReadonlySet<string>): string {
  const { value: of } = type.name;
  if (form === "Connection") return connectionText(of);
  if (form === "Edge") return edgeText(of);
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
      readOwn(DERIVED, name)
        ? `
    "Whether ${readOwn(DERIVED, name)}: after a restore a server makes up for that by itself, so ask again."
    incomplete: Boolean!`
        : ""
    }${
      name === "RecordedSession"
        ? `
    "Back to when sessions were read for a text, where there is too much of it. Null when all were, or the page is full."
    searchedSince: DateTime`
        : ""
    }
  }`;

const edgeText = (name: string): string => `
  "One entry of a page of ${pluralOf(name)}."
  type ${name}Edge {
    "The entry."
    node: ${name}!
    "Its place in the list."
    cursor: String!
  }`;

/** Types that the answers of their mutations always hold. */
const ALWAYS = new Set(["Comment", "WorkflowState", "IssueLabel", "NoticeRule", "Webhook"]);

const payloadText = (name: string, of: string, archived: boolean): string => `
  "What ${archived ? "archiving, trashing or restoring" : "a mutation of"} ${oneOf(of)} answers."
  type ${name} {
    success: Boolean!
    "The ${wordsOf(of)} after the mutation."
    ${archived ? "entity" : of.charAt(0).toLowerCase() + of.slice(1)}: ${of}${ALWAYS.has(of) && !archived ? "!" : ""}
    lastSyncId: Float!
  }`;
