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
import { getOwnProperty } from "../../formats/own.ts";
import { withDerivedFields } from "./derived-fields.ts";
import {
  baseFilterName,
  buildComparatorInput,
  buildFilterSdl,
  buildLinkFilterInput,
  buildSortInput,
} from "./derived-filters.ts";
import { pluralTypeName, splitTypeName, typeNameWithArticle } from "./type-words.ts";

/** The definitions of the schema, and extensions of derived inputs. */
interface Definitions {
  all: Map<string, DefinitionNode>;
  written: ReadonlySet<string>;
  additions: ReadonlyMap<string, InputObjectTypeExtensionNode>;
}

/**
 * Defines the types that the SDL mentions but does not define, because every resource needs these types in the same
 * form: pages and their entries (`XConnection`, `XEdge`), filters of a type (`XFilter`), of links to optional or many
 * rows (`NullableXFilter`, `XCollectionFilter`) and of values (`XComparator`), orders (`XSort`), results of mutations
 * (`XPayload`, `XArchivePayload`), inputs of updates (`XUpdateInput`) and search results (`XSearchResult`). Also adds
 * the fields of every resource and the arguments of lists. A type that the SDL defines stays unchanged.
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
  // Derived types name further types, so the loop also visits the added names.
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

/** Returns every type name in the document, in the order of the text. */
function namesIn(node: DocumentNode | DefinitionNode): Set<string> {
  const names = new Set<string>();
  visit(node, { NamedType: ({ name }) => void names.add(name.value) });
  return names;
}

function derivedOf(name: string, definitions: Definitions): readonly DefinitionNode[] {
  const { all, written, additions } = definitions;
  const base = baseFilterName(name);
  if (base !== name) {
    const [filter] = all.has(base) ? [all.get(base)] : derivedOf(base, definitions);
    return filter?.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION ? [buildLinkFilterInput(name, filter)] : [];
  }
  const created = all.get(name.replace(/UpdateInput$/, "CreateInput"));
  if (created?.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION) return [updateInput(name, created, additions.get(name))];
  if (name.endsWith("Comparator")) return [buildComparatorInput(name, all)].filter((node) => node !== undefined);
  if (name.endsWith("Sort")) return [buildSortInput(name)];
  const [, of = "", form = ""] = /^(.*?)(Connection|Edge|SearchResult|Filter|ArchivePayload|Payload)$/.exec(name) ?? [];
  const type = all.get(of);
  if (type?.kind !== Kind.OBJECT_TYPE_DEFINITION) return [];
  if (form === "SearchResult") return [searchResult(name, type)];
  return parse(textOf(type, form, written), { noLocation: true }).definitions;
}

const describedBy = (value: string) => ({ kind: Kind.STRING, value }) as const;

/**
 * Derives the input of an update from the input of a creation: without the id and without `@fixed` fields, and with
 * all fields optional. Fields of an extension replace or complete the derived fields.
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
  const text = `Changes to ${typeNameWithArticle(name.replace(/UpdateInput$/, ""))}. Absent fields stay unchanged.`;
  return {
    ...created,
    description: describedBy(text),
    name: { ...created.name, value: name },
    fields: [...fields, ...added],
  };
}

/**
 * Exceptions for the fields of search results. Of the fields that return a page, a search result has only `labels`. A
 * search result lacks the fields in LEFT_OUT, because these fields cost too much to read for every hit.
 */
const SHOWN_PAGE = "labels";
const LEFT_OUT = new Set(["handover", "lastEdit", "lease", "proof"]);

/** Derives a search result from a type: all fields except LEFT_OUT, lists of rows, and pages other than `labels`. */
const searchResult = (name: string, { fields = [], ...type }: ObjectTypeDefinitionNode): ObjectTypeDefinitionNode => ({
  ...type,
  description: describedBy(`${typeNameWithArticle(type.name.value)} found by a search.`.replace(/^a/, "A")),
  name: { ...type.name, value: name },
  interfaces: [],
  fields: fields.filter(
    (field) => field.name.value === SHOWN_PAGE || !(LEFT_OUT.has(field.name.value) || leadsToRows(field.type)),
  ),
});

/** Returns true for the type of a page or of a list of rows. */
function leadsToRows(type: TypeNode, inList = false): boolean {
  if (type.kind === Kind.NAMED_TYPE)
    return type.name.value.endsWith("Connection") || (inList && type.name.value !== "String");
  return leadsToRows(type.type, inList || type.kind === Kind.LIST_TYPE);
}

function textOf(type: ObjectTypeDefinitionNode, form: string, written: ReadonlySet<string>): string {
  const { value: of } = type.name;
  if (form === "Connection") return connectionText(of);
  if (form === "Edge") return edgeText(of);
  return form === "Filter" ? buildFilterSdl(type, written) : payloadText(`${of}${form}`, of, form === "ArchivePayload");
}

/** Types whose lists contain values that jobs derive, with a description of the values that may still be missing. */
const DERIVED: Readonly<Record<string, string>> = {
  RecordedFailureGroup: "failures of older events are not grouped yet",
  RecordedSession:
    "sessions are not counted yet, although the list is sorted by the counts, or are not searched for issues yet",
  IssueSession: "sessions are not searched for issues yet",
};

const connectionText = (name: string): string => `
  "A page of ${pluralTypeName(name)}."
  type ${name}Connection {
    "The entries."
    nodes: [${name}!]!
    "Entries of the page, with their cursors."
    edges: [${name}Edge!]!
    "Position of the page in the list."
    pageInfo: PageInfo!${
      getOwnProperty(DERIVED, name)
        ? `
    "True if ${getOwnProperty(DERIVED, name)}, for example after a restore. A job completes the data; repeat the query later."
    incomplete: Boolean!`
        : ""
    }${
      name === "RecordedSession"
        ? `
    "The text search covered only sessions that started at this time or later. Null if the search covered all sessions, or if the page is full."
    searchedSince: DateTime`
        : ""
    }
  }`;

const edgeText = (name: string): string => `
  "An entry of a page of ${pluralTypeName(name)}."
  type ${name}Edge {
    "The entry."
    node: ${name}!
    "Cursor of the entry."
    cursor: String!
  }`;

/** Types that the payloads of their mutations always contain. */
const ALWAYS = new Set(["Comment", "WorkflowState", "IssueLabel", "NoticeRule", "Webhook"]);

const payloadText = (name: string, of: string, archived: boolean): string => `
  "Result of ${archived ? "archiving, trashing or restoring" : "a mutation of"} ${typeNameWithArticle(of)}."
  type ${name} {
    success: Boolean!
    "The ${splitTypeName(of)} after the mutation."
    ${archived ? "entity" : of.charAt(0).toLowerCase() + of.slice(1)}: ${of}${ALWAYS.has(of) && !archived ? "!" : ""}
    lastSyncId: Float!
  }`;
