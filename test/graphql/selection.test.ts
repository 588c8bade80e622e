import { expect } from "chai";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

describe("a GraphQL selection", () => {
  let space: Workspace;
  const ask = async (query: string, variables?: Record<string, unknown>, operationName?: string) => {
    const response = await fetch(`${space.url}/graphql`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: space.apiKey },
      body: JSON.stringify({ query, variables, operationName }),
    });
    const { data, errors } = (await response.json()) as { data?: unknown; errors?: { message: string }[] };
    if (errors) throw new Error(errors[0]?.message);
    return data;
  };

  before(async () => {
    space = await createWorkspace();
    await space.issue({ title: 'A "quoted" \\ title\n\u2028 with \u{1F600} and \' and $1' });
  });

  it("is returned in the requested order with its response keys", async () => {
    const text = JSON.stringify(
      await ask("{ z: __typename viewer { b: name __typename a: name } a: organization { name } }"),
    );
    expect(text).to.equal(
      '{"z":"Query","viewer":{"b":"Olive Owner","__typename":"User","a":"Olive Owner"},"a":{"name":"Acme"}}',
    );
  });

  it("gets a separate statement for other variables of @skip and @include", async () => {
    const query = "query ($id: Boolean!) { viewer { id @include(if: $id) name @skip(if: $id) } }";
    for (const id of [true, false, true, false, true]) {
      expect(Object.keys(((await ask(query, { id })) as { viewer: object }).viewer)).to.deep.equal([
        id ? "id" : "name",
      ]);
    }
  });

  it("belongs to the named operation of a document with several operations", async () => {
    const query = "query A { viewer { name } } query B { viewer { isMe } }";
    expect(await ask(query, {}, "A")).to.deep.equal({ viewer: { name: "Olive Owner" } });
    expect(await ask(query, {}, "B")).to.deep.equal({ viewer: { isMe: true } });
  });

  it("gets a separate statement for other values of arguments that are part of the statement", async () => {
    for (let n = 0; n < 2; n += 1) await space.issue();
    const query = `query ($first: Int, $order: PaginationOrderBy, $archived: Boolean, $filter: IssueFilter) {
      issues(first: $first, orderBy: $order, includeArchived: $archived, filter: $filter) { nodes { number } } }`;
    const count = async (variables: object) =>
      ((await ask(query, { ...variables })) as { issues: { nodes: unknown[] } }).issues.nodes.length;
    const archived = await space.issue();
    await space.does("issueArchive", { id: archived.id });
    for (let round = 0; round < 3; round += 1) {
      expect(await count({ first: 1 })).to.equal(1);
      expect(await count({ first: 2, order: "updatedAt" })).to.equal(2);
      expect(await count({ archived: true })).to.equal(4);
      expect(await count({ archived: null })).to.equal(3);
      expect(await count({ filter: { assignee: { null: true } } })).to.equal(3);
      expect(await count({ filter: { assignee: { null: false } } })).to.equal(0);
      expect(await count({ filter: { id: { in: [archived.id, "ENG-1"] } } })).to.equal(1);
      expect(await count({ filter: { id: { in: ["ENG-1", "ENG-2"] } } })).to.equal(2);
    }
  });

  it("merges fragments and fields with the same key", async () => {
    const query = `{ ...a viewer { name ...b } } fragment a on Query { viewer { isMe organization { urlKey } } }
      fragment b on User { ... { organization { name } } }`;
    const organization = { urlKey: space.urlKey, name: "Acme" };
    expect(await ask(query)).to.deep.equal({ viewer: { isMe: true, organization, name: "Olive Owner" } });
  });

  it("may have more members than PostgreSQL's argument limit, and keys longer than its identifiers", async () => {
    const long = "k".repeat(200);
    const keys = [...Array.from({ length: 49 }, (_, at) => `a${at}`), long];
    const plain = ["id", "number", "title", "priority", "url", "createdAt", "dueDate", "labelIds", "estimate"];
    const query = `{ issue(id: "ENG-1") { ${plain.join(" ")} ${keys.map((key) => `${key}: identifier`).join(" ")} } }`;
    const { issue } = (await ask(query)) as { issue: Record<string, unknown> };
    expect(Object.keys(issue)).to.deep.equal([...plain, ...keys]);
    expect(issue[long]).to.equal("ENG-1");
  });

  it("returns every character of a text unchanged", async () => {
    expect(((await ask('{ issue(id: "ENG-1") { title } }')) as { issue: { title: string } }).issue.title).to.equal(
      'A "quoted" \\ title\n\u2028 with \u{1F600} and \' and $1',
    );
  });

  it("is null as a whole when a root field's entity does not exist, and the error has that field's path", async () => {
    const { data, errors } = await space.graphql('{ viewer { id } gone: issue(id: "ENG-404") { id } }');
    expect(data).to.equal(null);
    expect(errors?.map(({ path, extensions }) => [path, extensions.code])).to.deep.equal([[["gone"], "NOT_FOUND"]]);
  });

  it("returns each row's few links, and an empty page for rows without links", async () => {
    const label = (await space.does("issueLabelCreate", { input: { name: "one" } }, "issueLabel { id }")).issueLabel.id;
    await space.issue({ title: "labelled", labelIds: [label] });
    const query = `{ issues(first: 2) { nodes { title labels(first: 1) { nodes { name } edges { node { name } }
      pageInfo { hasNextPage hasPreviousPage startCursor } } } } }`;
    const [first, second] = (
      (await ask(query)) as {
        issues: { nodes: { labels: { nodes: unknown[]; edges: unknown[]; pageInfo: object } }[] };
      }
    ).issues.nodes;
    expect(first?.labels.nodes).to.deep.equal([{ name: "one" }]);
    expect(first?.labels.edges).to.deep.equal([{ node: { name: "one" } }]);
    const pageInfo = { hasNextPage: false, hasPreviousPage: false, startCursor: null };
    expect(second?.labels).to.deep.equal({ nodes: [], edges: [], pageInfo });
  });
});
