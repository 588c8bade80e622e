import { expect } from "chai";
import { type GraphQLInputObjectType, getNamedType } from "graphql";
import { combinedSchema } from "../../../server/graphql/schema.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

const PAGE = "edges { cursor } pageInfo { startCursor endCursor }";

/** Sortable lists, by the sort keys. */
const SORTED = Object.values(combinedSchema.getQueryType()?.getFields() ?? {}).flatMap(({ name, args }) => {
  const sort = args.find((each) => each.name === "sort");
  return sort ? [{ list: name, type: getNamedType(sort.type) as GraphQLInputObjectType }] : [];
});

// The server writes the cursors of a page's ends separately from the cursors of the entries.
describe("pageInfo cursors", () => {
  let space: Workspace;
  const ends = async (list: string, sort: object[], page: string) => {
    const named = `$sort: [${SORTED.find((each) => each.list === list)?.type}!]`;
    const { data, errors } = await space.graphql(`query (${named}) { ${list}(sort: $sort, ${page}) { ${PAGE} } }`, {
      sort,
    });
    expect(errors?.[0]?.message, JSON.stringify(sort)).to.equal(undefined);
    const { edges, pageInfo } = data[list];
    const cursors = edges.map(({ cursor }: { cursor: string }) => cursor);
    expect(pageInfo, JSON.stringify({ list, sort, page })).to.deep.equal({
      startCursor: cursors.at(0) ?? null,
      endCursor: cursors.at(-1) ?? null,
    });
    return cursors.length;
  };

  before(async () => {
    space = await createWorkspace();
    for (const estimate of [null, 1, 1, 2, null]) await space.issue({ title: `"${estimate}" é 😀\\`, estimate });
    for (const name of ["b", "a", "ü"]) await space.does("projectCreate", { input: { name, teamIds: [space.teamId] } });
  });

  for (const { list, type } of SORTED) {
    it(`of ${list} are those of the first and last entry, for every sort field and pairs of sort fields`, async () => {
      const fields = Object.keys(type.getFields());
      // Every sortable field of sessions has a value, and a list of sessions has a single sort key.
      const mayLack = list !== "recordedSessions";
      let entries = 0;
      for (const [at, field] of fields.entries()) {
        for (const step of [{ order: "Ascending", ...(mayLack && { nulls: "first" }) }, { order: "Descending" }]) {
          const other = { [fields[(at + 1) % fields.length] ?? ""]: { order: "Ascending" } };
          for (const page of ["first: 2", "last: 2", "first: 250"]) {
            entries += await ends(list, [{ [field]: step }], page);
            if (mayLack && fields.length > 1) entries += await ends(list, [{ [field]: step }, other], page);
          }
        }
      }
      if (mayLack) expect(entries).to.be.greaterThan(0);
    });
  }
});
