import { expect } from "chai";
import fc from "fast-check";
import {
  type GraphQLObjectType,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
  validate,
} from "graphql";
import { isConstant } from "../../server/graphql/document/constant.ts";
import { combinedSchema, getIntrospectionSchema } from "../../server/graphql/schema.ts";
import { importExternalUser } from "../support/accounts/outsider.ts";
import { listFields } from "../support/graphql/documents.ts";
import { createSeededPick, isWithinLimits } from "../support/graphql/generate-documents.ts";
import { MUTATION_SAMPLES } from "../support/graphql/mutations.ts";
import { createOrganizationOfSize } from "../support/graphql/sizes.ts";
import { inviteGuest } from "../support/members.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { sendGraphQL, type Tenant } from "../support/server.ts";
import { createWorkspace, createWorkspaceIn } from "../support/workspace.ts";

const NODE = combinedSchema.getType("Node");
const TYPES = isInterfaceType(NODE) ? combinedSchema.getPossibleTypes(NODE) : [];
const leaves = (type: GraphQLObjectType): string[] =>
  listFields(type)
    .filter((field) => isLeafType(getNamedType(field.type)) && !isConstant(field) && field.args.length === 0)
    .map(({ name }) => name);
/** Returns a fragment with every scalar field without arguments of a type. */
const whole = (type: GraphQLObjectType) => `... on ${type.name} { ${leaves(type).join(" ")} }`;
const rootOf = ({ name }: GraphQLObjectType): string => name.charAt(0).toLowerCase() + name.slice(1);

/** Reads an id of each type from the lists. */
async function idsOf(tenant: Tenant): Promise<Map<string, string>> {
  const lists = listFields(combinedSchema.getQueryType()).filter(({ type, args }) => {
    const listed = getNamedType(type).name.replace(/Connection$/, "");
    return TYPES.some(({ name }) => name === listed) && !args.some(({ name }) => name === "id");
  });
  const paged = lists.filter(({ args }) => args.some(({ name }) => name === "first"));
  const texts = paged.map(({ name }) => `${name}(first: 1) { nodes { id __typename } }`);
  const whole = lists.filter(({ name }) => name === "templates").map(({ name }) => `${name} { id __typename }`);
  const events = "events: recordedSessions(first: 1) { nodes { events(first: 1) { nodes { id __typename } } } }";
  const data = await tenant.gql(`{ organization { id __typename } ${[...texts, ...whole].join(" ")} ${events} }`);
  const found = [...Object.values(data), ...data.events.nodes.map((each: any) => each.events)] as any[];
  const rows = found.flatMap((each) => each.nodes ?? each).filter(({ id }: any) => id);
  return new Map(rows.map(({ id, __typename }: any) => [__typename, id]));
}

/** Returns the response keys of a selection for an object of a type, according to the specification. */
function keysFor(type: string, selection: string): string[] {
  const [definition] = parse(`{ ${selection} }`).definitions;
  const within = (set: SelectionSetNode): string[] =>
    set.selections.flatMap((each) => {
      if (each.kind === Kind.FIELD) return [(each.alias ?? each.name).value];
      if (each.kind !== Kind.INLINE_FRAGMENT) return [];
      const condition = each.typeCondition?.name.value;
      return condition === type || condition === "Node" ? within(each.selectionSet) : [];
    });
  return definition?.kind === Kind.OPERATION_DEFINITION ? within(definition.selectionSet) : [];
}

describe("Relay's node field", () => {
  let tenant: Tenant;
  let ids: Map<string, string>;
  before(async () => {
    tenant = await createOrganizationOfSize(3);
    const { issues } = await tenant.gql("{ issues(first: 2) { nodes { id } } }");
    const [one, other] = issues.nodes.map(({ id }: { id: string }) => id);
    const input = `{ type: related, issueId: "${one}", relatedIssueId: "${other}" }`;
    await tenant.gql(`mutation { issueRelationCreate(input: ${input}) { success } }`);
    await importExternalUser(tenant, one);
    await MUTATION_SAMPLES["issueDeletedSessionBlank"]?.(await createWorkspaceIn(tenant, "DEL"));
    ids = await idsOf(tenant);
  });
  const node = async (id: string, selection: string, as = tenant) =>
    (await as.gql(`query ($id: ID!) { node(id: $id) { ${selection} } }`, { id })).node;

  it("supports every type that can be read by id", () => {
    const query = combinedSchema.getQueryType();
    const byId = listFields(query).filter(({ args, type }) => {
      const type_ = getNamedType(type);
      // The id of an export is a user's id, which is not a UUID.
      return args.some(({ name }) => name === "id") && isObjectType(type_) && type_.name !== "RecordedUserExport";
    });
    const names = [...byId.map(({ type }) => getNamedType(type).name), "Organization"];
    expect(TYPES.map(({ name }) => name).sort()).to.deep.equal([...new Set(names)].sort());
    expect([...ids.keys()].sort()).to.deep.equal(TYPES.map(({ name }) => name).sort());
    expect(String(query?.getFields()["node"]?.type)).to.equal("Node");
    expect(String(query?.getFields()["nodes"]?.type)).to.equal("[Node]!");
    expect(isInterfaceType(getIntrospectionSchema("native").getType("Node"))).to.equal(true);
  });

  for (const type of TYPES) {
    it(`returns the same as the field of ${type.name}`, async () => {
      const id = ids.get(type.name) ?? "";
      const field = type.name === "Organization" ? "organization" : `${rootOf(type)}(id: "${id}")`;
      const own = await tenant.gql(`{ own: ${field} { __typename ${leaves(type).join(" ")} } }`);
      const asked = await node(
        id,
        `__typename ${whole(type)} ${TYPES.map(({ name }) => `... on ${name} { id }`).join(" ")}`,
      );
      expect(asked).to.deep.equal(own.own);
      expect(await node(id, "id ... on Node { k: id }")).to.deep.equal({ id, k: id });
    });
  }

  it("is null for an unknown id, text that is no id, and another organization's id", async () => {
    const other = await createWorkspace();
    const all = [...ids.values()];
    for (const [of, id] of [...ids, ["Issue", ""], ["Issue", "ENG-1"], ["Team", "\0"], ["", crypto.randomUUID()]]) {
      const type = TYPES.find(({ name }) => name === of);
      expect(await node(String(id), `__typename ${type ? whole(type) : "id"}`, other)).to.equal(null);
    }
    const { nodes } = await other.gql("query ($ids: [ID!]!) { nodes(ids: $ids) { id } }", { ids: all });
    expect(nodes).to.deep.equal(all.map(() => null));
  });

  it("shows webhooks and notice rules only to owners, and every other type also to members", async () => {
    const guest = await inviteGuest(tenant);
    const query = "query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on Webhook { secret } } }";
    const owners = ["Webhook", "NoticeRule"];
    const all = [...ids].filter(([type]) => !owners.includes(type));
    const variables = { ids: [...owners.map((type) => ids.get(type)), ...all.map(([, id]) => id)] };
    const { data, errors } = await sendGraphQL(tenant.url, `Bearer ${guest.accessToken}`, { query, variables });
    expect(errors).to.equal(undefined);
    expect(data.nodes).to.deep.equal([null, null, ...all.map(([__typename, id]) => ({ __typename, id }))]);
    const { nodes } = await tenant.gql(query, variables);
    expect(nodes.map((each: any) => each.__typename)).to.deep.equal([...owners, ...all.map(([type]) => type)]);
    expect(nodes[0].secret).to.match(/^whsec_/);
  });

  it("accepts up to 250 ids, in any order with repeats", async () => {
    const query = "query ($ids: [ID!]!) { nodes(ids: $ids) { id __typename } }";
    const some = [...ids, ["", "nothing"] as const, ...ids].sort(([, one], [, other]) => one.localeCompare(other));
    const { nodes } = await tenant.gql(query, { ids: some.map(([, id]) => id) });
    expect(nodes).to.deep.equal(some.map(([__typename, id]) => (__typename ? { id, __typename } : null)));
    expect((await tenant.gql(query, { ids: [] })).nodes).to.deep.equal([]);
    const { errors } = await tenant.graphql(query, { ids: Array(251).fill("x") });
    expect(errors?.[0]?.extensions).to.include({ code: "INPUT_ERROR", field: "ids" });
    const { headers } = await tenant.graphql(query, { ids: Array(100).fill("x") });
    expect(headers.get("X-Complexity")).to.equal("110");
  });

  it("applies only fragments on the object's type, however deep the fragments are nested", async () => {
    const pickType = (pick: (below: number) => number) => TYPES[pick(TYPES.length)] as GraphQLObjectType;
    const write = (pick: (below: number) => number, on: GraphQLObjectType | undefined, depth: number): string => {
      const parts = Array.from({ length: 1 + pick(3) }, (_, at) => {
        if (depth > 0 && pick(3) > 0) {
          if (on && pick(2)) return `... on ${on.name} { ${write(pick, on, depth - 1)} }`;
          if (on) return `... on Node { ${write(pick, undefined, depth - 1)} }`;
          const inner = pickType(pick);
          return `... on ${inner.name} { ${write(pick, inner, depth - 1)} }`;
        }
        const names = on ? leaves(on) : ["id"];
        const name = names[pick(names.length)];
        return pick(4) === 0
          ? `${on?.name ?? "Node"}${depth}${at}_t: __typename`
          : `${on?.name ?? ""}_${name}: ${name}`;
      });
      return parts.join(" ");
    };
    let tried = 0;
    const run = async (seed: number) => {
      const pick = createSeededPick(seed);
      const selection = write(pick, undefined, 4);
      const query = `query ($id: ID!) { node(id: $id) { id ${selection} } }`;
      if (!isWithinLimits(query) || validate(combinedSchema, parse(query)).length > 0) return;
      tried += 1;
      const type = pickType(pick);
      const { data, errors } = await tenant.graphql(query, { id: ids.get(type.name) });
      expect(errors, query).to.equal(undefined);
      expect(Object.keys(data.node), query).to.deep.equal([...new Set(["id", ...keysFor(type.name, selection)])]);
      for (const key of Object.keys(data.node)) if (key.endsWith("_t")) expect(data.node[key]).to.equal(type.name);
    };
    await fc.assert(fc.asyncProperty(fc.nat(), run), { numRuns: scaleRuns(200), endOnFailure: true });
    expect(tried).to.be.at.least(scaleRuns(100));
  });

  it("leaves out fragments on other types, also inside fragments on the interface", async () => {
    const query = `{ issues(first: 1) { nodes { ... on Node { id ... on Team { key } ... on Issue { title } } team { ...T } } } }
      fragment T on Node { ... on Issue { number } ... on Team { key } }`;
    const [issue] = (await tenant.gql(query)).issues.nodes;
    expect(Object.keys(issue)).to.deep.equal(["id", "title", "team"]);
    expect(Object.keys(issue.team)).to.deep.equal(["key"]);
  });

  it("runs the query that relay-compiler writes for a refetchable fragment with a connection", async () => {
    const query = `query IssueCommentsRefetch($count: Int = 2, $cursor: String, $id: ID!) {
        node(id: $id) { __typename ...IssueComments_issue_1G22uz id } }
      fragment IssueComments_issue_1G22uz on Issue { title comments(first: $count, after: $cursor) {
        edges { node { body id __typename } cursor } pageInfo { endCursor hasNextPage } } id }`;
    const { nodes } = (await tenant.gql("{ issues { nodes { id comments { nodes { id } } } } }")).issues;
    const id = nodes.find((each: any) => each.comments.nodes.length > 3)?.id;
    const first = (await tenant.gql(query, { id })).node;
    expect([first.__typename, first.comments.edges.length, first.comments.pageInfo.hasNextPage]).to.deep.equal([
      "Issue",
      2,
      true,
    ]);
    const next = (await tenant.gql(query, { id, cursor: first.comments.pageInfo.endCursor })).node;
    expect(next.comments.edges[0].node.id).not.to.equal(first.comments.edges[0].node.id);
  });
});
