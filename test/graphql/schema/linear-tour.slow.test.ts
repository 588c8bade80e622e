import { LinearClient, LinearDocument } from "@linear/sdk";
import { expect } from "chai";
import { type FieldNode, Kind, type OperationDefinitionNode, parse } from "graphql";
import { LINEAR_DOCUMENTS } from "../../support/graphql/linear-documents.ts";
import { MUTATION_SAMPLES } from "../../support/graphql/mutations.ts";
import { sendGraphQL } from "../../support/server.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

const documents = LinearDocument as unknown as Record<string, { toString(): string }>;
const DAY_MS = 24 * 60 * 60 * 1000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);

/** Returns the operation of a document, and the root field. */
function operationOf(text: string): { operation: OperationDefinitionNode; root: string } {
  const operation = parse(text).definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const [field] = (operation as OperationDefinitionNode).selectionSet.selections as FieldNode[];
  return { operation: operation as OperationDefinitionNode, root: field?.name.value ?? "" };
}

describe("a document of Linear's stock SDK", () => {
  let space: Workspace;
  before(async () => {
    space = await createWorkspace();
  });

  /** Builds the variables of a document: the sample of the mutation, or the id of a row of the root field's type. */
  async function variablesOf(root: string, names: readonly string[]): Promise<Record<string, unknown>> {
    const sample = await MUTATION_SAMPLES[root]?.(space);
    if (sample) return sample;
    const row = await MUTATION_SAMPLES[`${root}Update`]?.(space);
    const { viewer } = await space.gql("{ viewer { id } }");
    const known: Record<string, unknown> = { id: root === "user" ? viewer.id : row?.["id"], term: "x", first: 250 };
    return Object.fromEntries(names.flatMap((name) => (name in known ? [[name, known[name]]] : [])));
  }

  for (const name of LINEAR_DOCUMENTS) {
    it(`runs without an error: ${name}`, async () => {
      const query = `${documents[`${name}Document`]}`;
      const { operation, root } = operationOf(query);
      const names = (operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
      const { data, errors } = await sendGraphQL(space.url, space.apiKey, {
        query,
        // The price includes ten whole labels on either side of each change, so 250 entries exceed the cost limit of
        // a query.
        variables: { ...(await variablesOf(root, names)), ...(name === "Issue_History" && { first: 50 }) },
      });
      expect(errors).to.equal(undefined);
      expect(data[root]).not.to.equal(null).and.not.to.equal(undefined);
      if (operation.operation === "mutation") expect(data[root].success).to.equal(true);
    });
  }
});

describe("Linear's stock SDK", () => {
  let space: Workspace;
  let client: LinearClient;
  before(async () => {
    space = await createWorkspace();
    client = new LinearClient({ apiKey: space.apiKey, apiUrl: `${space.url}/graphql` });
  });

  it("plans the next cycle, and archiving the cycle removes its issues", async () => {
    const { teamId } = space;
    const made = async (from: number) =>
      (await client.createCycle({ teamId, startsAt: inDays(from), endsAt: inDays(from + 7) })).cycle;
    const [later, next] = [await made(20), await made(10)];
    for (const [cycle, isNext] of [
      [next, true],
      [later, false],
    ] as const)
      expect((await client.cycle(cycle?.id ?? "")).isNext).to.equal(isNext);
    const issue = await (await client.createIssue({ teamId, title: "Planned", cycleId: next?.id ?? "" })).issue;
    expect((await issue?.cycle)?.id).to.equal(next?.id);
    expect((await client.archiveCycle(next?.id ?? "")).success).to.equal(true);
    expect((await client.issue(issue?.id ?? "")).cycleId).to.equal(undefined);
    expect((await client.cycle(later?.id ?? "")).isNext).to.equal(true);
  });

  it("deletes a team with its content, no longer finds it, and restores it", async () => {
    const team = await (await client.createTeam({ name: "Passing", key: "PAS" })).team;
    const teamId = team?.id ?? "";
    const issue = await (await client.createIssue({ teamId, title: "Goes along" })).issue;
    expect((await client.deleteTeam(teamId)).success).to.equal(true);
    const listed = async () => [
      (await client.teams()).nodes.some(({ id }) => id === teamId),
      (await client.issues({ first: 250 })).nodes.some(({ id }) => id === issue?.id),
      (await client.searchIssues("Goes along")).nodes.some(({ id }) => id === issue?.id),
    ];
    expect(await listed()).to.deep.equal([false, false, false]);
    const refused = await client.createIssue({ teamId, title: "Too late" }).catch((error) => error);
    expect([refused.type, /in the trash/.test(refused.message)]).to.deep.equal(["InvalidInput", true]);
    expect((await client.unarchiveTeam(teamId)).success).to.equal(true);
    expect(await listed()).to.deep.equal([true, true, true]);
    expect((await client.issue("PAS-1")).id).to.equal(issue?.id);
  });

  it("pages through 300 whole issues by 250", async () => {
    const { teamId } = space;
    for (let n = 0; n < 6; n += 1) {
      const issues = Array.from({ length: 50 }, (_, at) => ({ teamId, title: `Bulk ${n * 50 + at}` }));
      expect((await client.createIssueBatch({ issues })).success).to.equal(true);
    }
    const page = await client.issues({ first: 250, filter: { title: { startsWith: "Bulk" } } });
    expect([page.nodes.length, page.pageInfo.hasNextPage]).to.deep.equal([250, true]);
    await page.fetchNext();
    expect([page.nodes.length, page.pageInfo.hasNextPage]).to.deep.equal([300, false]);
  });

  it("manages a webhook whose secret stays readable", async () => {
    const input = { url: "https://example.com/hook", teamId: space.teamId, resourceTypes: ["Issue"] };
    const webhook = await (await client.createWebhook(input)).webhook;
    const read = await client.webhook(webhook?.id ?? "");
    expect(read.secret)
      .to.match(/^whsec_/)
      .and.to.equal(webhook?.secret);
    expect((await (await read.update({ label: "named" })).webhook)?.label).to.equal("named");
    const rotated = await client.rotateSecretWebhook(read.id);
    expect((await client.webhook(read.id)).secret).to.equal(rotated.secret);
    expect((await read.delete()).success).to.equal(true);
    const gone = await client.webhook(read.id).catch((error) => error);
    expect(gone.message).to.contain("Entity not found: Webhook - Could not find referenced Webhook.");
  });
});
