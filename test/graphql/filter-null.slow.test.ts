import { expect } from "chai";
import {
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
} from "graphql";
import type { AppError } from "../../server/errors.ts";
import { isConstant } from "../../server/graphql/document/constant.ts";
import { collectFieldsCached, prepareDocument, selectOperation } from "../../server/graphql/document/document.ts";
import { coerceArguments } from "../../server/graphql/document/field-arguments.ts";
import { getOrCompilePlan } from "../../server/graphql/operation/query.ts";
import { RootFieldError } from "../../server/graphql/plan/plan.ts";
import { combinedSchema } from "../../server/graphql/schema.ts";
import { listFields, selectMatches, writeRequiredArguments } from "../support/graphql/documents.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

type Field = GraphQLField<unknown, unknown>;

/** Place in a filter: the path of members, and the type of the last member. */
interface Place {
  path: readonly string[];
  type: GraphQLInputType;
  /** Type that has the last member. */
  parent: string;
  required: string;
}

/** Lists every place in a filter that may be null, through links up to a number of levels. */
function placesIn(type: GraphQLInputObjectType, levels: number): Place[] {
  const fields = Object.values(type.getFields());
  const required = fields
    .filter(isRequiredInputField)
    .map(({ name }) => `${name}: "k"`)
    .join();
  return fields
    .filter((field) => !isRequiredInputField(field))
    .flatMap(({ name, type: of }) => {
      const named = getNamedType(of);
      const below = isInputObjectType(named) && levels > 0 && name !== "or" ? placesIn(named, levels - 1) : [];
      const step = isListType(getNullableType(of)) ? [name, "0"] : [name];
      return [
        { path: [name], type: of, parent: type.name, required },
        ...below.map((each) => ({ ...each, path: [...step, ...each.path] })),
      ];
    });
}

/** Writes a filter with a value at a place: `{team: {key: {eq: $x}}}`. */
const filterText = ({ path, required }: Place, value: string): string =>
  path.reduceRight((inner, name, at) => {
    if (name === "0") return `[${inner}]`;
    return `{${at === path.length - 1 && required ? `${required}, ` : ""}${name}: ${inner}}`;
  }, value);

/** Plans the only root field of a document. Returns the error, if any. */
function refusal(document: string, variables: Readonly<Record<string, unknown>>): AppError | undefined {
  const prepared = prepareDocument(document);
  if (!("document" in prepared)) throw prepared[0];
  const node = selectOperation(prepared, undefined);
  if (!node) throw new Error("no operation");
  const operation = collectFieldsCached(prepared, node, variables);
  try {
    getOrCompilePlan({ operation, args: coerceArguments(operation.fieldArguments, variables) }, operation.roots);
    return undefined;
  } catch (error) {
    return (error instanceof RootFieldError ? error.cause : error) as AppError;
  }
}

const lists = listFields(combinedSchema.getQueryType()).filter(({ args }) =>
  args.some(({ name }) => name === "filter"),
);

const filterTypeOf = ({ args }: Field) =>
  getNamedType(args.find(({ name }) => name === "filter")?.type as GraphQLInputType) as GraphQLInputObjectType;

/** Selects a list with a filter. */
function listText(field: Field, filter: string): string {
  const term = field.args.some(({ name }) => name === "term") ? ['term: "x"'] : writeRequiredArguments(field);
  const nodes = "nodes" in (getNamedType(field.type) as GraphQLObjectType).getFields();
  return `${field.name}(${[...term, `filter: ${filter}`].join()}) { ${nodes ? "nodes { __typename }" : selectMatches(field)} }`;
}

/** Types whose rows have filterable lists, with a way to reach such a row. */
const INNER = listFields(combinedSchema.getQueryType()).flatMap((root) => {
  const nodes = (getNamedType(root.type) as GraphQLObjectType).getFields?.()["nodes"];
  const below = nodes ? listFields(getNamedType(nodes.type) as GraphQLObjectType) : [];
  const needed = root.args.some(({ name }) => name === "term") ? ['term: "x"'] : writeRequiredArguments(root);
  return below
    .filter((field) => !isConstant(field) && field.args.some(({ name }) => name === "filter"))
    .map((field) => ({ root, field, needed: needed.length > 0 ? `(${needed})` : "" }));
});

describe("null in a GraphQL filter", () => {
  const known = new Set<string>();
  for (const field of lists) {
    it(`of ${field.name} is refused at every place`, () => {
      for (const [at, place] of placesIn(filterTypeOf(field), 2).entries()) {
        // Each member of each type once, and one place of each list, because the same type below another link uses
        // the same code.
        const key = `${place.parent} ${place.path.at(-1)}`;
        if (known.has(key) && at > 0) continue;
        known.add(key);
        const literal = refusal(`{ ${listText(field, filterText(place, "null"))} }`, {});
        expect(literal?.details?.field, filterText(place, "null")).to.equal(["filter", ...place.path].join("."));
        expect(literal?.message).to.match(/must not be null.*null: true/);
        const query = `query ($x: ${getNullableType(place.type)}) { ${listText(field, filterText(place, "$x"))} }`;
        for (const variables of [{ x: null }, {}]) {
          expect(refusal(query, variables)?.kind, `${query} ${JSON.stringify(variables)}`).to.equal("input");
        }
      }
    });
  }

  it("of a list inside a row is refused", () => {
    for (const { root, field, needed } of INNER) {
      const [place] = placesIn(filterTypeOf(field), 0);
      if (!place) continue;
      const inner = listText(field, filterText(place, "null"));
      expect(refusal(`{ ${root.name}${needed} { nodes { ${inner} } } }`, {})?.kind, inner).to.equal("input");
    }
  });
});

describe("a filter in a GraphQL request", () => {
  let space: Workspace;
  let other: string;
  let issue: { id: string; identifier: string };
  before(async () => {
    space = await createWorkspace();
    const made = await space.does("teamCreate", { input: { name: "Other", key: "OTH" } }, "team { id }");
    other = made.team.id;
    issue = await space.issue({ teamId: other, title: "of another team" });
  });
  const codes = async (query: string, variables: Record<string, unknown> = {}) => {
    const { data, errors } = await space.graphql(query, variables);
    return errors ? `${errors[0]?.extensions.code} ${errors[0]?.message}` : data;
  };

  it("that is null means no filter", async () => {
    const query = "query ($filter: IssueFilter) { issues(filter: $filter) { nodes { id } } }";
    for (const variables of [{ filter: null }, {}]) {
      expect(await codes(query, variables)).to.deep.equal({ issues: { nodes: [{ id: issue.id }] } });
    }
  });

  it("that contains null or no condition claims no issue", async () => {
    const claim = "mutation ($input: IssueClaimInput!) { issueClaim(input: $input) { issue { identifier } } }";
    const filters = [
      null,
      { team: null },
      { team: { key: { eq: null } } },
      { and: [{ team: { key: { eq: null } } }] },
      { labels: { some: { name: { in: null } } } },
      { team: {} },
      { team: { key: {} } },
      { and: [] },
      { and: [{ team: {} }] },
      { or: [{}, { team: { key: { eq: "ENG" } } }] },
      { labels: { every: {} } },
      { team: { key: { nin: [] } } },
    ];
    for (const filter of filters)
      expect(await codes(claim, { input: { filter } }), JSON.stringify(filter)).to.match(/^INPUT_ERROR /);
    const inline = `mutation ($key: String) { issueClaim(input: { filter: { team: { key: { eq: $key } } } }) { issue { id } } }`;
    for (const variables of [{ key: null }, {}]) expect(await codes(inline, variables)).to.match(/^INPUT_ERROR .*null/);
    expect((await space.read(issue.id)).leased ?? false).to.equal(false);
    const taken = await codes(claim, { input: { filter: { team: { key: { eq: "OTH" } } } } });
    expect(taken).to.deep.equal({ issueClaim: { issue: { identifier: issue.identifier } } });
  });

  it("that contains null is stored by no view, in any form", async () => {
    const filterData = { team: { key: { eq: null } } };
    const create =
      "mutation ($input: CustomViewCreateInput!) { customViewCreate(input: $input) { customView { id } } }";
    expect(await codes(create, { input: { name: "v", filterData } })).to.match(
      /^INPUT_ERROR filterData.team.key.eq must not be null/,
    );
    const made = await codes(create, { input: { name: "v", filterData: { team: { key: { eq: "ENG" } } } } });
    const update =
      "mutation ($id: String!, $input: CustomViewUpdateInput!) { customViewUpdate(id: $id, input: $input) { success } }";
    expect(await codes(update, { id: made.customViewCreate.customView.id, input: { filterData } })).to.match(
      /^INPUT_ERROR .*null/,
    );
    const rows = [{ view: { name: "imported", filterData } }];
    const imported =
      "mutation ($input: IssueBatchImportInput!) { issueBatchImport(input: $input) { results { status field message } } }";
    expect(JSON.stringify(await codes(imported, { input: { source: "s", rows } }))).to.match(
      /filterData.team.key.eq must not be null/,
    );
  });

  it("of a recorded key accepts null inside a JSON value, but not as the value", async () => {
    const query = "query ($filter: RecordedSessionFilter) { recordedSessions(filter: $filter) { nodes { id } } }";
    const keyed = (condition: object) => ({ metadata: { key: "k", ...condition } });
    expect(await codes(query, { filter: keyed({ eq: { a: null } }) })).to.deep.equal({
      recordedSessions: { nodes: [] },
    });
    for (const text of [{}, { text: "words" }]) {
      const filter = { ...keyed({ in: [{ a: null }] }), ...text };
      expect(await codes(query, { filter })).to.deep.equal({ recordedSessions: { nodes: [] } });
      expect(await codes(query, { filter: { ...keyed({ eq: null }), ...text } })).to.match(
        /^INPUT_ERROR .*exists: false/,
      );
    }
    const long = { filter: keyed({ in: Array.from({ length: 251 }, () => "x") }) };
    expect(refusal(query, long)?.message).to.match(/at most 250/);
  });
});
