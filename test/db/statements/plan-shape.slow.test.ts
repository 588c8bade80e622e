import { expect } from "chai";
import fc from "fast-check";
import { GraphQLBoolean, type GraphQLInputType, GraphQLNonNull } from "graphql";
import { isConstant } from "../../../server/graphql/document/constant.ts";
import { combinedSchema } from "../../../server/graphql/schema.ts";
import { parsePlanKey } from "../../../server/read/shape.ts";
import { changeValue, generateValue } from "../../support/graphql/argument-values.ts";
import { listFields } from "../../support/graphql/documents.ts";
import {
  createSeededPick,
  type DocumentOptions,
  type GeneratedDocument,
  generateDocument,
  type PickNumber,
  type RootField,
} from "../../support/graphql/generate-documents.ts";
import { planDocument } from "../../support/graphql/plans.ts";
import { createSession, sendRaw } from "../../support/recording/ingest.ts";
import { scaleRuns } from "../../support/run/runs.ts";
import { createOrganization } from "../../support/server.ts";
import { createWorkspace } from "../../support/workspace.ts";

/**
 * The server refuses generated cursors, most sorts, and `first` together with `last`, and then there is no statement
 * to compare.
 */
const RARE = /^(last|before|after|sort)$/;

/** Passes arguments as variables. */
const manner: DocumentOptions = {
  depth: 0,
  argument: (_field, { name, type }, draft) =>
    RARE.test(name) && draft.pick(6) > 0 ? undefined : draft.variable(type),
};

const typeOf = (type: GraphQLInputType | string): GraphQLInputType =>
  typeof type === "string" ? new GraphQLNonNull(GraphQLBoolean) : type;

type Values = Readonly<Record<string, unknown>>;

const valuesFor = (pick: PickNumber, { variables }: GeneratedDocument): Values =>
  Object.fromEntries(Object.entries(variables).map(([name, type]) => [name, generateValue(pick, typeOf(type))]));

/** Returns variables with one changed value. Most changes keep the shape. */
function changed(pick: PickNumber, { variables }: GeneratedDocument, values: Values): Values {
  const names = Object.keys(variables).filter((name) => (values[name] ?? undefined) !== undefined);
  const name = names[pick(names.length)];
  if (!name) return values;
  return { ...values, [name]: changeValue(pick, typeOf(variables[name] ?? ""), values[name]) };
}

const roots = (["query", "mutation"] as const).flatMap((kind) =>
  listFields(kind === "query" ? combinedSchema.getQueryType() : combinedSchema.getMutationType())
    .filter((field) => !isConstant(field) && field.name !== "rateLimitStatus")
    .map((field): RootField => ({ kind, field })),
);

describe("the cached plan of an operation", () => {
  let cases = 0;
  let shared = 0;

  const check = (root: RootField, depth: number, requests: number, numRuns: number) =>
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const pick = createSeededPick(seed);
        const document = generateDocument(pick, root, { ...manner, depth });
        const texts = new Set<string>();
        let variables = valuesFor(pick, document);
        for (let at = 0; at < requests; at += 1) {
          variables = changed(pick, document, variables);
          const told = planDocument(document.query, variables);
          cases += 1;
          if ("text" in told && texts.has(told.text)) shared += 1;
          if ("text" in told) texts.add(told.text);
          const alone = planDocument(document.query, variables, true);
          expect(told, `${document.query} ${JSON.stringify(variables)}`).to.deep.equal(alone);
        }
      }),
      { numRuns, endOnFailure: true },
    );

  for (const root of roots) {
    it(`gives ${root.kind} ${root.field.name} the same SQL after other requests as for a single request`, () => {
      check(root, 2, 8, scaleRuns(4));
      // Selects few fields, so that more values are tried. A field with only an id argument has few shapes.
      if (root.kind === "query") check(root, 0, 12, scaleRuns(root.field.args.length > 2 ? 80 : 16));
    });
  }

  it("was tested on 2,000 requests, many of which used the plan of another", () => {
    expect(cases).to.be.at.least(scaleRuns(2_000));
    expect(shared).to.be.at.least(scaleRuns(500));
  });

  it("can read only the values that are in the plan key; reading another value while building SQL fails", () => {
    const [shape] = parsePlanKey('[{"text":"?","id":"#","ids":["#"],"list":"*","order":"createdAt","first":2}]');
    if (!shape) throw new Error("no shape");
    expect(Object.keys(shape)).to.deep.equal(["text", "id", "ids", "list", "order", "first"]);
    expect([shape["order"], shape["first"]]).to.deep.equal(["createdAt", 2]);
    const { text, id, ids, list } = shape as any;
    const looks = [
      () => String(text),
      () => `${id}`,
      () => text.length,
      () => Object.keys(text),
      () => "key" in text,
      () => [...list],
      () => list.length,
      () => list.map(String),
      () => JSON.stringify(ids),
      () => Number(ids[0]),
    ];
    for (const look of looks) expect(look).to.throw(/this argument is a parameter/);
  });
});

describe("values that determine the SQL", () => {
  it("determine it again in the next request, regardless of the first", async () => {
    const { gql, url, ingestKey } = await createOrganization();
    const body = JSON.stringify(createSession({ metadata: { tier: 1 } }));
    await sendRaw(`${url}/api/v1/capture-session`, body, { "x-api-key": ingestKey });
    const query = `query ($key: String!, $exists: Boolean) {
      recordedSessions(filter: { metadata: { key: $key, exists: $exists } }) { nodes { id } } }`;
    const count = async (key: string, exists: boolean) =>
      (await gql(query, { key, exists })).recordedSessions.nodes.length;
    expect([await count("tier", true), await count("tier", false)]).to.deep.equal([1, 0]);
    expect([await count("other", true), await count("other", false)]).to.deep.equal([0, 1]);
  });

  it("determine it when they are empty", async () => {
    const space = await createWorkspace();
    await space.issue({ title: "needle" });
    const query = 'query ($teamId: String) { searchIssues(term: "needle", teamId: $teamId) { nodes { id } } }';
    const count = async (teamId?: string) => (await space.gql(query, { teamId })).searchIssues.nodes.length;
    const found = [await count(""), await count("ENG"), await count("OPS"), await count("\0"), await count()];
    expect(found).to.deep.equal([0, 1, 0, 0, 1]);
  });

  it("are not part of the plan key inside the JSON of another value", async () => {
    const { gql } = await createOrganization();
    const query = `query ($eq: JSON) { recordedSessions(filter: { metadata: { key: "a", eq: $eq } }) { nodes { id } } }`;
    for (const eq of [{ "a:s},b": 1 }, [{ a: [{}] }], [[1]], 'x"', true])
      expect((await gql(query, { eq })).recordedSessions.nodes).to.deep.equal([]);
  });
});
