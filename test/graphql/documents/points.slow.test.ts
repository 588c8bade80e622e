import { LinearDocument } from "@linear/sdk";
import { expect } from "chai";
import fc from "fast-check";
import { type DocumentNode, isRequiredArgument, Kind, type OperationDefinitionNode, parse } from "graphql";
import { collectOperation } from "../../../server/graphql/document/collect.ts";
import { combinedSchema } from "../../../server/graphql/schema.ts";
import type { Selection } from "../../../server/read/selection.ts";
import { listFields } from "../../support/graphql/documents.ts";
import { createSeededPick, type DocumentOptions, generateDocument } from "../../support/graphql/generate-documents.ts";
import { LINEAR_DOCUMENTS } from "../../support/graphql/linear-documents.ts";
import { createOrganizationOfSize } from "../../support/graphql/sizes.ts";
import { scaleRuns } from "../../support/run/runs.ts";
import { sendGraphQL, type Tenant } from "../../support/server.ts";

const DOCUMENTS = 300;
const queries = listFields(combinedSchema.getQueryType()).filter(
  ({ args }) => !args.some((each) => isRequiredArgument(each) && each.name !== "term"),
);
const SIZES = ["1", "2", "20"];
const manner: DocumentOptions = {
  depth: 4,
  argument: (field, { name }, { pick }) => {
    if (name === "term") return '"more"';
    const last = field.args.some((each) => each.name === "last") && field.name.length % 2 === 0;
    return name === (last ? "last" : "first") && pick(3) ? SIZES[pick(SIZES.length)] : undefined;
  },
};

const operationIn = (document: DocumentNode) =>
  document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION) as OperationDefinitionNode;

/** Computes the points of a response from the actual result: a tenth for every object and scalar. */
function tenthsOf(selection: Selection, value: unknown): number {
  if (selection.field === "__typename") return 0;
  // A list of scalars counts as one value, such as the ids of an issue's labels.
  if (selection.children.length === 0 || typeof value !== "object" || value === null) return 1;
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + tenthsOf(selection, each), 0);
  const members = value as Readonly<Record<string, unknown>>;
  const own = selection.connection ? 0 : 10;
  return selection.children.reduce((sum, child) => sum + tenthsOf(child, members[child.key]), own);
}

describe("GraphQL points", () => {
  let tenant: Tenant;
  const send = (query: string, variables: Record<string, unknown> = {}) =>
    sendGraphQL(tenant.url, tenant.apiKey, { query, variables });
  const pointsOf = async (query: string, variables = {}) =>
    Number((await send(query, variables)).headers.get("X-Complexity"));

  before(async () => {
    tenant = await createOrganizationOfSize(3);
  });

  it("are at least the points of the actual response", async () => {
    let rows = 0;
    const check = async (seed: number) => {
      const pick = createSeededPick(seed);
      const field = queries[pick(queries.length)];
      if (!field) return;
      const { query, variables: types } = generateDocument(pick, { kind: "query", field }, manner);
      const variables = Object.fromEntries(Object.keys(types).map((name) => [name, pick(2) === 0]));
      const { data, errors, headers } = await send(query, variables);
      // Too expensive, or about a single entity that the document does not name.
      if (["RATELIMITED", "INPUT_ERROR", "NOT_FOUND"].includes(errors?.[0]?.extensions.code)) return;
      expect(errors, query).to.equal(undefined);
      const document = parse(query);
      const { roots } = collectOperation(document, operationIn(document), variables);
      const real = roots.reduce((sum, root) => sum + tenthsOf(root, data[root.key]), 0);
      rows += real;
      expect(Number(headers.get("X-Complexity")), query).to.be.at.least(real / 10);
    };
    const numbers = fc.asyncProperty(fc.nat(), check);
    await fc.assert(numbers, { numRuns: scaleRuns(DOCUMENTS), endOnFailure: true });
    expect(rows).to.be.greaterThan(scaleRuns(DOCUMENTS));
  });

  it("of lists without pages count the maximum number of entries", async () => {
    expect(await pointsOf("{ issuePriorityValues { label } }")).to.equal(Math.ceil(5 * 1.1));
    expect(await pointsOf("{ organization { projectStatuses { name } } }")).to.equal(1 + 55);
    expect(await pointsOf("{ rateLimitStatus { limits { type } } }")).to.equal(Math.ceil(1 + 2 * 1.1));
    const ids = (await tenant.gql("{ issues { nodes { id } } }")).issues.nodes.map(({ id }: { id: string }) => id);
    const batch = "mutation ($ids: [UUID!]!) { issueBatchUpdate(ids: $ids, input: {}) { issues { title } } }";
    expect(await pointsOf(batch, { ids })).to.equal(Math.ceil(1 + ids.length * 1.1));
  });

  it("of a page count at most the possible entries: an issue has at most 100 labels", async () => {
    expect(await pointsOf("{ issues(first: 10) { nodes { labels(first: 250) { nodes { name } } } } }")).to.equal(
      10 + 10 * 110,
    );
    expect(await pointsOf("{ webhooks(first: 250) { nodes { url } } }")).to.equal(110);
  });

  it("below fields that are always null or empty are zero", async () => {
    expect(await pointsOf("{ issues(first: 100) { nodes { snoozedBy { id name email } } } }")).to.equal(110);
    expect(await pointsOf("{ issues(first: 100) { nodes { reactions { emoji user { id } } } } }")).to.equal(110);
    const empty = "{ cycles(first: 10) { nodes { uncompletedIssuesUponClose(first: 250) { nodes { id title } } } } }";
    expect(await pointsOf(empty)).to.equal(11);
  });

  it("let the stock SDK request pages of 250 of everything except the history of an issue", async () => {
    const documents = LinearDocument as unknown as Record<string, { toString(): string }>;
    const dear: string[] = [];
    for (const name of LINEAR_DOCUMENTS.filter((name) => name !== "Issue_History")) {
      const query = `${documents[`${name}Document`]}`;
      if (!/^\s*query/.test(query) || !query.includes("$first: Int")) continue;
      const points = await pointsOf(query, { id: "01980000-0000-7000-8000-000000000000", first: 250, term: "x" });
      if (points > 10_000) dear.push(`${name} ${points}`);
    }
    expect(dear).to.deep.equal([]);
  });

  it("of a page of 250 whole issues of the SDK are well below the limit", async () => {
    const { errors, headers } = await send(String(LinearDocument.IssuesDocument), { first: 250 });
    expect(errors).to.equal(undefined);
    expect(Number(headers.get("X-Complexity"))).to.be.within(2_000, 6_000);
  });
});
