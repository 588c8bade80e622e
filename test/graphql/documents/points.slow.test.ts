import { LinearDocument } from "@linear/sdk";
import { expect } from "chai";
import fc from "fast-check";
import { type DocumentNode, isRequiredArgument, Kind, type OperationDefinitionNode, parse } from "graphql";
import { collect } from "../../../server/graphql/document/collect.ts";
import { schema } from "../../../server/graphql/schema.ts";
import type { Selection } from "../../../server/read/selection.ts";
import { fieldsOf } from "../../support/graphql/documents.ts";
import { generateDocument, type Manner, seeded } from "../../support/graphql/generate-documents.ts";
import { LINEAR_DOCUMENTS } from "../../support/graphql/linear-documents.ts";
import { organizationOf } from "../../support/graphql/sizes.ts";
import { runs } from "../../support/run/runs.ts";
import { sendGraphQL, type Tenant } from "../../support/server.ts";

const DOCUMENTS = 300;
const queries = fieldsOf(schema.getQueryType()).filter(
  ({ args }) => !args.some((each) => isRequiredArgument(each) && each.name !== "term"),
);
const SIZES = ["1", "2", "20"];
const manner: Manner = {
  depth: 4,
  argument: (field, { name }, { pick }) => {
    if (name === "term") return '"more"';
    const last = field.args.some((each) => each.name === "last") && field.name.length % 2 === 0;
    return name === (last ? "last" : "first") && pick(3) ? SIZES[pick(SIZES.length)] : undefined;
  },
};

const operationIn = (document: DocumentNode) =>
  document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION) as OperationDefinitionNode;

/** The points that an answer would have cost if it had been known: tenths for every object and scalar in it. */
function tenthsOf(selection: Selection, value: unknown): number {
  if (selection.field === "__typename") return 0;
  // A list of scalars is one value: the ids of an issue's labels.
  if (selection.children.length === 0 || typeof value !== "object" || value === null) return 1;
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + tenthsOf(selection, each), 0);
  const members = value as Readonly<Record<string, unknown>>;
  const own = selection.connection ? 0 : 10;
  return selection.children.reduce((sum, child) => sum + tenthsOf(child, members[child.key]), own);
}

describe("the points of a request", () => {
  let tenant: Tenant;
  const send = (query: string, variables: Record<string, unknown> = {}) =>
    sendGraphQL(tenant.url, tenant.apiKey, { query, variables });
  const pointsOf = async (query: string, variables = {}) =>
    Number((await send(query, variables)).headers.get("X-Complexity"));

  before(async function () {
    this.timeout(60_000);
    tenant = await organizationOf(3);
  });

  it("are never fewer than what is really answered", async function () {
    this.timeout(240_000);
    let rows = 0;
    const check = async (seed: number) => {
      const pick = seeded(seed);
      const field = queries[pick(queries.length)];
      if (!field) return;
      const { query, variables: types } = generateDocument(pick, { kind: "query", field }, manner);
      const variables = Object.fromEntries(Object.keys(types).map((name) => [name, pick(2) === 0]));
      const { data, errors, headers } = await send(query, variables);
      // Too dear, or about one thing that the document does not name.
      if (["RATELIMITED", "INPUT_ERROR", "NOT_FOUND"].includes(errors?.[0]?.extensions.code)) return;
      expect(errors, query).to.equal(undefined);
      const document = parse(query);
      const { roots } = collect(document, operationIn(document), variables);
      const real = roots.reduce((sum, root) => sum + tenthsOf(root, data[root.key]), 0);
      rows += real;
      expect(Number(headers.get("X-Complexity")), query).to.be.at.least(real / 10);
    };
    const numbers = fc.asyncProperty(fc.nat(), check);
    await fc.assert(numbers, { numRuns: runs(DOCUMENTS), endOnFailure: true });
    expect(rows).to.be.greaterThan(runs(DOCUMENTS));
  });

  it("of lists without pages are those of what they may hold", async () => {
    expect(await pointsOf("{ issuePriorityValues { label } }")).to.equal(Math.ceil(5 * 1.1));
    expect(await pointsOf("{ organization { projectStatuses { name } } }")).to.equal(1 + 55);
    expect(await pointsOf("{ rateLimitStatus { limits { type } } }")).to.equal(Math.ceil(1 + 2 * 1.1));
    const ids = (await tenant.gql("{ issues { nodes { id } } }")).issues.nodes.map(({ id }: { id: string }) => id);
    const batch = "mutation ($ids: [UUID!]!) { issueBatchUpdate(ids: $ids, input: {}) { issues { title } } }";
    expect(await pointsOf(batch, { ids })).to.equal(Math.ceil(1 + ids.length * 1.1));
  });

  it("of a page are those of the most that there can be: an issue has at most 100 labels", async () => {
    expect(await pointsOf("{ issues(first: 10) { nodes { labels(first: 250) { nodes { name } } } } }")).to.equal(
      10 + 10 * 110,
    );
    expect(await pointsOf("{ webhooks(first: 250) { nodes { url } } }")).to.equal(110);
  });

  it("below what is always null or empty are none", async () => {
    expect(await pointsOf("{ issues(first: 100) { nodes { snoozedBy { id name email } } } }")).to.equal(110);
    expect(await pointsOf("{ issues(first: 100) { nodes { reactions { emoji user { id } } } } }")).to.equal(110);
    const empty = "{ cycles(first: 10) { nodes { uncompletedIssuesUponClose(first: 250) { nodes { id title } } } } }";
    expect(await pointsOf(empty)).to.equal(11);
  });

  it("let the stock SDK ask for pages of 250 of everything but the history of an issue", async function () {
    this.timeout(120_000);
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

  it("bring a page of 250 whole issues of the SDK well under the cap", async () => {
    const { errors, headers } = await send(String(LinearDocument.IssuesDocument), { first: 250 });
    expect(errors).to.equal(undefined);
    expect(Number(headers.get("X-Complexity"))).to.be.within(2_000, 6_000);
  });
});
