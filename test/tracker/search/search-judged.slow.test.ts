import { expect } from "chai";
import { JUDGED_QUERIES, type JudgedQuery } from "../../support/tracker/judged-queries.ts";
import { createJudgedIssues, type JudgedIssue } from "../../support/tracker/judged-titles.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

/** Minimum average nDCG@10 of the judged queries. */
const LEAST = 0.8;
const [PAGE, BATCH] = [10, 50];

/** Discounted cumulative gain of grades, in the order of the results. */
const gain = (grades: readonly number[]): number =>
  grades.slice(0, PAGE).reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0);

/** nDCG@10: the gain of the results divided by the gain of the best possible order. */
function ndcg(found: readonly JudgedIssue[], { grade }: JudgedQuery, all: readonly JudgedIssue[]): number {
  const best = all.map(grade).sort((one, other) => other - one);
  return gain(found.map(grade)) / gain(best);
}

/** Creates all judged issues in the workspace. */
async function filled({ teamId, states, does }: Workspace): Promise<JudgedIssue[]> {
  const label = await does("issueLabelCreate", { input: { name: "urgent" } }, "issueLabel { id }");
  const all = createJudgedIssues();
  for (let at = 0; at < all.length; at += BATCH) {
    const issues = all.slice(at, at + BATCH).map(({ title, description, closed, urgent }) => ({
      teamId,
      title,
      description,
      ...(closed && { stateId: states["Done"] }),
      ...(urgent && { labelIds: [label.issueLabel.id] }),
    }));
    await does("issueBatchCreate", { input: { issues } });
  }
  return all;
}

describe("search quality", () => {
  it(`reaches an nDCG@10 of ${LEAST} over ${JUDGED_QUERIES.length} judged queries`, async () => {
    const space = await createWorkspace();
    const all = await filled(space);
    const byTitle = new Map(all.map((each) => [each.title, each]));
    expect(byTitle.size).to.equal(all.length);
    const figures = new Map<string, number[]>();
    for (const query of JUDGED_QUERIES) {
      const text = `query ($term: String!) { searchIssues(term: $term, first: ${PAGE}) { nodes { title } } }`;
      const { nodes } = (await space.gql(text, { term: query.term })).searchIssues;
      const found = nodes.flatMap(({ title }: { title: string }) => byTitle.get(title) ?? []);
      figures.set(query.kind, [...(figures.get(query.kind) ?? []), ndcg(found, query, all)]);
      if (process.env["JUDGED"]) console.log(ndcg(found, query, all).toFixed(2), query.term);
    }
    const mean = (each: readonly number[]) => each.reduce((sum, figure) => sum + figure, 0) / each.length;
    const total = mean([...figures.values()].flat());
    console.log(`      nDCG@10 ${total.toFixed(3)}`);
    for (const [kind, each] of figures) console.log(`        ${mean(each).toFixed(2)} ${kind}`);
    expect(total).to.be.at.least(LEAST);
  });
});
