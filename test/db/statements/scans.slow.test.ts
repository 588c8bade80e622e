import { expect } from "chai";
import fc from "fast-check";
import { type GraphQLInputObjectType, getNamedType, isEnumType, isInputObjectType } from "graphql";
import type { App } from "../../../server/app.ts";
import { combinedSchema } from "../../../server/graphql/schema.ts";
import { collectReads } from "../../support/db/statements.ts";
import { listFields, selectMatches, writeRequiredArguments } from "../../support/graphql/documents.ts";
import { scaleRuns } from "../../support/run/runs.ts";
import { createOrganization, startSharedServer, type Tenant } from "../../support/server.ts";

type Filter = Record<string, unknown>;

const SCAN = 100;
const MOST = 20;

/** Root fields with a filter argument, and the type of the filter. */
const ROOTS = listFields(combinedSchema.getQueryType()).flatMap((field) => {
  const filter = field.args.find((each) => each.name === "filter");
  if (!filter || field.args.some((each) => each.name === "term")) return [];
  const first = field.args.some((each) => each.name === "first") ? ["first: 1"] : [];
  const page = [...writeRequiredArguments(field), ...first].map((argument) => `, ${argument}`).join("");
  return [
    { name: field.name, type: getNamedType(filter.type) as GraphQLInputObjectType, page, shown: selectMatches(field) },
  ];
});

const ISSUES = ROOTS.find(({ name }) => name === "issues") as (typeof ROOTS)[number];

/**
 * A column that may be long, as statements name the column: t1."description". No short column has such a name.
 * Includes the search index (equally long texts) and events of all sessions (equally many rows).
 */
const LONG = /\bt\d+\."(description|body|content|args|result|metadata|traits)"|\bx\.text ilike|\be\.primitive_name/g;

const timesLong = (statements: readonly { text: string }[]) =>
  statements.reduce((sum, { text }) => sum + (text.match(LONG)?.length ?? 0), 0);

describe("comparisons of long texts", () => {
  let app: App;
  let tenant: Tenant;

  before(async () => {
    app = await startSharedServer();
    tenant = await createOrganization(app);
  });

  const ask = ({ name, type, page, shown }: (typeof ROOTS)[number], filter: Filter) =>
    tenant.graphql(`query ($filter: ${type}) { ${name}(filter: $filter${page}) { ${shown} } }`, { filter });

  for (const root of ROOTS) {
    const { name, type } = root;
    it(`cost 100 points wherever a filter of ${name} reaches them, and other comparisons cost nothing`, async () => {
      let without = Number.NaN;
      const plain = await collectReads(app, async () => {
        without = Number((await ask(root, {})).headers.get("X-Complexity"));
      });
      for (const filter of filtersOf(type)) {
        let points = Number.NaN;
        const statements = await collectReads(app, async () => {
          const { headers, errors } = await ask(root, filter);
          expect(errors, JSON.stringify(filter)).to.equal(undefined);
          points = Number(headers.get("X-Complexity"));
        });
        // The statement shows that the comparison reads a long column, because only ids are selected.
        const reaches = timesLong(statements) > timesLong(plain);
        const every = JSON.stringify(filter).match(/"every":\{"/g)?.length ?? 0;
        expect(points, JSON.stringify(filter)).to.equal(without + (reaches ? SCAN : 0) + SCAN * every);
      }
    }).timeout(120_000);
  }

  it(`are limited to ${MOST} per request, in any nesting`, async () => {
    const columns = Object.entries(ISSUES.type.getFields()).filter(([name]) =>
      /^(description|searchableContent)$/.test(name),
    );
    const leaves = columns.flatMap(([name, { type }]) =>
      comparisons(getNamedType(type) as GraphQLInputObjectType, true).map((each) => ({ [name]: each })),
    );
    const leaf = fc.constantFrom<Filter>(...leaves);
    const nested = fc.array(fc.tuple(fc.constantFrom("and", "or", "children", "parent"), leaf), {
      minLength: 1,
      maxLength: 32,
    });
    await fc.assert(
      fc.asyncProperty(nested, async (parts) => {
        const filter = { or: parts.map(([how, each]) => wrapped(how, each)) };
        const { errors, headers } = await ask(ISSUES, filter);
        if (parts.length > MOST) expect(errors?.[0]?.message).to.match(REFUSAL);
        else expect([errors, Number(headers.get("X-Complexity"))]).to.deep.equal([undefined, SCAN * parts.length + 2]);
      }),
      { numRuns: scaleRuns(60) },
    );
  }).timeout(120_000);

  it("are counted over the whole request, and the refusal is cheap and suggests a fix", async () => {
    const filter = { or: Array.from({ length: 99 }, () => ({ description: { containsIgnoreCase: "zebra" } })) };
    const { errors, data, headers } = await ask(ISSUES, filter);
    expect(errors?.[0]?.extensions).to.include({ code: "INPUT_ERROR", field: "filter" });
    expect(errors?.[0]?.message).to.match(
      /compares long texts .* 99 times, and one may do so 20 times; give filter fewer/,
    );
    expect([data, headers.get("X-Complexity")]).to.deep.equal([undefined, "0"]);
    const searches = Array.from(
      { length: 3 },
      (_, at) => `s${at}: searchIssues(term: "${"word ".repeat(7)}") { totalCount }`,
    );
    expect((await tenant.graphql(`{ ${searches.join(" ")} }`)).errors?.[0]?.message).to.match(REFUSAL);
    expect((await tenant.graphql(`{ ${searches[0]} }`)).errors?.[0]?.message ?? "").not.to.match(REFUSAL);
  });

  it("cost their points for each row for which they run", async () => {
    const query = (first: number) =>
      `{ issues(first: ${first}) { nodes { comments(first: 1, filter: { body: { contains: "x" } }) { nodes { id } } } } }`;
    expect((await tenant.graphql(query(10))).headers.get("X-Complexity")).to.equal("1021");
    const { errors } = await tenant.graphql(query(250));
    expect(errors?.[0]?.extensions.code).to.equal("RATELIMITED");
    const [, most] = /ask issues for first: (\d+)/.exec(errors?.[0]?.message ?? "") ?? [];
    expect((await tenant.graphql(query(Number(most)))).errors).to.equal(undefined);
  });
});

const REFUSAL = /compares long texts/;

const wrapped = (how: string, leaf: Filter): Filter => {
  if (how === "children") return { children: { some: leaf } };
  return how === "parent" ? { parent: leaf } : { [how]: [leaf] };
};

const VALUES: Record<string, unknown> = {
  Boolean: true,
  Float: 1,
  Int: 1,
  DateTimeOrDuration: "-P1D",
  TimelessDateOrDuration: "2026-01-01",
};

const isComparator = ({ name }: GraphQLInputObjectType): boolean => name.endsWith("Comparator");
const isJson = (type: GraphQLInputObjectType): boolean => "key" in type.getFields() && "exists" in type.getFields();

/** Filter members that were tried: links of any type, and columns of the root types' filters. */
const tried = new Set<string>();
const isNew = (member: string): boolean => tried.size < tried.add(member).size;

/**
 * Returns filters with one comparison each: each column of a root type's filter with each operator, each column
 * behind each link, `and` and `or`, and each column behind a second link that no root has tried. The server builds
 * price and SQL link by link, so the path to a link makes no difference.
 */
function filtersOf(type: GraphQLInputObjectType, levels = 2): Filter[] {
  if (isJson(type)) return [{ key: "k", [turn++ % 2 ? "eq" : "exists"]: true }];
  const isRoot = levels === 2;
  return Object.values(type.getFields()).flatMap(({ name, type: given }): Filter[] => {
    const inner = getNamedType(given);
    if (!isInputObjectType(inner)) return [];
    const isColumn = isComparator(inner);
    if (!isColumn && levels === 0) return [];
    const first = (isRoot || !isColumn) && isNew(`${type.name}.${name}`);
    if (!isColumn && !isRoot && !first) return [];
    const parts = isColumn ? comparisons(inner, isRoot && first) : filtersOf(inner, levels - 1);
    const list = String(given).startsWith("[");
    return parts.map((part) => ({ [name]: list ? [part] : part }));
  });
}

let turn = 0;

/**
 * Returns one comparison, of a different kind at each call, or one of each kind (`each`). Omits null checks, which
 * cost nothing, and gives lists a single value.
 */
function comparisons(type: GraphQLInputObjectType, each: boolean): Filter[] {
  const fields = Object.values(type.getFields()).filter(({ name }) => !["null", "and", "or"].includes(name));
  turn += 1;
  const chosen = each ? fields : fields.slice(turn % fields.length, (turn % fields.length) + 1);
  return chosen.map(({ name, type: given }) => {
    const inner = getNamedType(given);
    const value = isEnumType(inner) ? inner.getValues()[0]?.name : (VALUES[inner.name] ?? "x");
    return { [name]: String(given).startsWith("[") ? [value] : value };
  });
}
