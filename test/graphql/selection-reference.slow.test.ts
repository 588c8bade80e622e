import { expect } from "chai";
import fc from "fast-check";
import { type GraphQLField, getNamedType } from "graphql";
import { isConstant } from "../../server/graphql/document/constant.ts";
import { combinedSchema } from "../../server/graphql/schema.ts";
import { listFields } from "../support/graphql/documents.ts";
import {
  createSeededPick,
  type DocumentOptions,
  generateDocument,
  type PickNumber,
} from "../support/graphql/generate-documents.ts";
import { createReference } from "../support/graphql/reference.ts";
import { createOrganizationOfSize } from "../support/graphql/sizes.ts";
import { scaleRuns } from "../support/run/runs.ts";
import type { Tenant } from "../support/server.ts";

type Field = GraphQLField<unknown, unknown>;
type Values = Record<string, any>;

/**
 * Number of documents per root field by the rows of the organization. With no rows, a response contains nothing below
 * a list.
 */
const DOCUMENTS = { 0: 5, 1: 20, 3: 20 };

/** Pages of a few entries from either end, so that nothing exceeds the cost limit. */
const manner: DocumentOptions = {
  depth: 3,
  argument: (field, { name }, { pick }) => {
    const last = field.args.some((each) => each.name === "last");
    if (name !== (last && field.name.length % 2 === 0 ? "last" : "first")) return undefined;
    return String(1 + pick(4));
  },
};

/** relay.slow.test.ts compares the responses of `node` and `nodes` with the fields of each type. */
const OTHERS = new Set(["rateLimitStatus", "node", "nodes"]);
/** Lists for which a default page with repeated selections may exceed the cost limit of a query. */
const DEAR = new Set(["recordedFailureGroups"]);
const queries = listFields(combinedSchema.getQueryType()).filter((each) => !isConstant(each) && !OTHERS.has(each.name));
const mutationNamed = (name: string) => combinedSchema.getMutationType()?.getFields()[name] as Field;

type Call = (ids: Values) => { args: string; entity: string } | undefined;

/** Builds an update without changes of an entity. */
const unchanged =
  (entity: string): Call =>
  ({ [entity]: id }) =>
    id && { args: `id: "${id}", input: {}`, entity: id };

/** Every mutation that updates one row by id. */
const updates = listFields(combinedSchema.getMutationType()).flatMap(({ name }) => {
  const entity = name.replace(/Update$/, "");
  return entity !== name && queries.some((query) => query.name === entity) ? [[name, unchanged(entity)] as const] : [];
});

/** One mutation per payload that changes nothing, so that the selection of the payload can be compared. */
const MUTATIONS: Record<string, Call> = {
  ...Object.fromEntries(updates),
  issueArchive: ({ archivedIssue: id }) => id && { args: `id: "${id}"`, entity: id },
  issueBatchUpdate: ({ issue }) => issue && { args: `ids: ["${issue}"], input: {}`, entity: issue },
  teamUnarchive: ({ team }) => team && { args: `id: "${team}"`, entity: team },
  projectArchive: ({ archivedProject: id }) => id && { args: `id: "${id}"`, entity: id },
  projectStatusArchive: ({ archivedStatus: id }) => id && { args: `id: "${id}"`, entity: id },
  cycleArchive: ({ archivedCycle: id }) => id && { args: `id: "${id}"`, entity: id },
  workflowStateArchive: ({ archivedState: id }) => id && { args: `id: "${id}"`, entity: id },
  organizationUpdate: ({ organization: id }) => ({ args: "input: {}", entity: id }),
  issueRelationUpdate: ({ relation: id }) => id && { args: `id: "${id}", input: {}`, entity: id },
  issueCreateFromFailure: ({ team, recordedFailureGroup: group, failureIssue }) =>
    group && { args: `input: { teamId: "${team}", failureGroupId: "${group}" }`, entity: failureIssue },
  recordedFailureGroupUnignore: ({ recordedFailureGroup: id }) => id && { args: `id: "${id}"`, entity: id },
  recordedSessionRelease: ({ recordedSession: id }) => id && { args: `id: "${id}"`, entity: id },
};

/** Values of payloads in addition to entities and common members. */
const TOLD: Record<string, Values> = { issueCreateFromFailure: { status: "known" } };

/**
 * Payloads that contain no entity; the payload whose lease differs after each call (leases.test.ts checks the lease);
 * and the payload that is empty until a deletion (deletion.slow.test.ts checks the payload).
 */
const PLAIN = new Set([
  ...[
    "DeletePayload",
    "WebhookRotateSecretPayload",
    "IssueBatchImportPayload",
    "IssueClaimPayload",
    "IssueCompletePayload",
  ],
  ...[
    "RecordedDeletePayload",
    "RecordedSessionsDeletePayload",
    "IssueDeletedSessionPayload",
    "InboxEntryUpdatePayload",
  ],
]);

/** A generated document may exceed the cost limit of a query. Such a document is neither compared nor counted. */
const TOO_DEAR = /one query may cost/;

let cases = 0;

for (const size of [0, 1, 3] as const) {
  describe(`random selections with ${size} entities of each kind`, () => {
    let tenant: Tenant;
    let ids: Values;
    let second: ReturnType<typeof createReference>;

    before(async () => {
      tenant = await createOrganizationOfSize(size);
      ids = await idsOf(tenant, size);
      second = createReference(tenant);
    });

    const checks = async (generated: { query: string; variables: Values }, pick: PickNumber, payload?: Values) => {
      // Every update changes webhooks and rules, even an empty update.
      if (/webhookUpdate|noticeRuleUpdate/.test(generated.query)) second = createReference(tenant);
      const variables = Object.fromEntries(Object.keys(generated.variables).map((name) => [name, pick(2) === 0]));
      const data = await tenant.gql(generated.query, variables).catch((error: Error) => {
        if (!TOO_DEAR.test(error.message)) throw error;
      });
      if (!data) return;
      const told = `${generated.query} ${JSON.stringify(variables)}`;
      expect(JSON.stringify(data), told).to.equal(JSON.stringify(await second(generated.query, variables, payload)));
      cases += 1;
    };
    const holds = (check: (pick: PickNumber) => Promise<void>) =>
      fc.assert(
        fc.asyncProperty(fc.nat(), (seed) => check(createSeededPick(seed))),
        { numRuns: scaleRuns(DOCUMENTS[size]), endOnFailure: true },
      );

    for (const field of queries) {
      it(`of ${field.name} equal graphql-js's response`, async () => {
        const byId = field.args.some(({ name }) => name === "id");
        const args = byId ? `id: "${ids[field.name]}"` : argsOf(field);
        if (byId && !ids[field.name]) return;
        await holds((pick) => {
          const sized = [args, DEAR.has(field.name) || pick(2) === 0 ? pageArgs(field, pick) : ""]
            .filter(Boolean)
            .join(", ");
          return checks(generateDocument(pick, { kind: "query", field, args: sized }, manner), pick);
        });
      });
    }

    for (const [name, call] of Object.entries(MUTATIONS)) {
      it(`of the payload of ${name} equal graphql-js's response`, async () => {
        const made = call(ids);
        if (!made) return;
        const field = mutationNamed(name);
        const shown = listFields(getNamedType(field.type) as never).map(({ name: member, type }) => {
          const reference = { id: made.entity };
          return [member, String(type).startsWith("[") ? [reference] : reference];
        });
        const told = { ...TOLD[name], success: true, lastSyncId: ids["lastSyncId"] };
        const payload = { ...Object.fromEntries(shown), ...told };
        await holds((pick) =>
          checks(generateDocument(pick, { kind: "mutation", field, args: made.args }, manner), pick, payload),
        );
      });
    }
  });
}

describe("random selections", () => {
  it("are 2,000 or more, and cover every payload that contains an entity", () => {
    expect(cases).to.be.at.least(scaleRuns(2_000));
    const payloads = listFields(combinedSchema.getMutationType()).map(({ type }) => getNamedType(type).name);
    const tried = Object.keys(MUTATIONS).map((name) => getNamedType(mutationNamed(name).type).name);
    expect([...new Set(payloads)].sort()).to.deep.equal([...new Set([...tried, ...PLAIN])].sort());
  });
});

const RANGE = 'from: "2026-01-01T00:00:00.000Z", to: "2026-01-02T00:00:00.000Z"';
const ARGS: Record<string, string> = {
  searchIssues: 'term: "more"',
  similarIssues: 'title: "more"',
  recordedSearch: `term: "more", ${RANGE}`,
  recordedToolStats: RANGE,
  recordedUsage: `groupBy: model, ${RANGE}`,
  recordedSessionHistogram: RANGE,
  recordedTool: `name: "Bash", ${RANGE}`,
  recordedOutline: 'sessionId: "0198c0de-0000-7000-8000-000000000001"',
  recordedFailureComparison: 'failureGroupId: "0198c0de-0000-7000-8000-000000000001"',
  recordedFiles: 'path: "a.ts"',
  recordedCommits: 'shas: ["1a2b3c4"]',
};

const argsOf = ({ name }: Field): string => ARGS[name] ?? "";

function pageArgs(field: Field, pick: PickNumber): string {
  const names = field.args.map(({ name }) => name).filter((name) => name === "first" || name === "last");
  return names.length === 0 ? "" : `${names[pick(names.length)]}: ${1 + pick(4)}`;
}

/** Returns the id of an entity of each kind, and of some archived entities. */
async function idsOf(tenant: Tenant, size: number): Promise<Values> {
  const lists = queries.filter(
    ({ args }) =>
      args.some(({ name }) => name === "first") &&
      !args.some(({ name }) => ["term", "title", "sessionId", "path", "shas"].includes(name)),
  );
  const named = lists.filter(({ name }) => name !== "changes").map(({ name }) => `${name}(first: 1) { nodes { id } }`);
  const data = await tenant.gql(`{ viewer { id } organization { id } templates { id } ${named.join(" ")} }`);
  const ids: Values = { viewer: data.viewer.id, organization: data.organization.id, template: data.templates[0]?.id };
  for (const { name } of lists) ids[SINGULAR[name] ?? name.slice(0, -1)] = data[name]?.nodes[0]?.id;
  if (size > 0) Object.assign(ids, await archivedOf(tenant, ids));
  const { events } = await tenant.gql("{ events: recordedSessions(first: 1) { nodes { events { nodes { id } } } } }");
  ids["recordedEvent"] = events.nodes[0]?.events.nodes[0]?.id;
  ids["lastSyncId"] = (await tenant.gql("{ changes { nodes { lastSyncId } } }")).changes.nodes.at(-1)?.lastSyncId ?? 0;
  return ids;
}

const SINGULAR: Record<string, string> = { projectStatuses: "projectStatus" };

/** Creates and archives an entity of each kind that can be archived, and files an issue about a failure. */
async function archivedOf({ gql }: Tenant, { team, recordedFailureGroup: group }: Values): Promise<Values> {
  const made = await gql(`mutation { issueCreate(input: { teamId: "${team}", title: "old" }) { issue { id } }
    projectCreate(input: { teamIds: ["${team}"], name: "old" }) { project { id } }
    projectStatusCreate(input: { name: "old", type: planned, color: "#000000", position: 99 }) { status { id } }
    cycleCreate(input: { teamId: "${team}", startsAt: "2027-01-01T00:00:00.000Z", endsAt: "2027-01-09T00:00:00.000Z" }) { cycle { id } }
    workflowStateCreate(input: { teamId: "${team}", name: "old", type: "started", color: "#000000" }) { workflowState { id } } }`);
  const ids = {
    archivedIssue: made.issueCreate.issue.id,
    archivedProject: made.projectCreate.project.id,
    archivedStatus: made.projectStatusCreate.status.id,
    archivedCycle: made.cycleCreate.cycle.id,
    archivedState: made.workflowStateCreate.workflowState.id,
  };
  const [one, other] = await Promise.all(
    ["one", "other"].map(async (title) => {
      const issue = await gql(
        `mutation { issueCreate(input: { teamId: "${team}", title: "${title}" }) { issue { id } } }`,
      );
      return issue.issueCreate.issue.id;
    }),
  );
  const related = await gql(
    `mutation { issueRelationCreate(input: { issueId: "${one}", relatedIssueId: "${other}", type: related }) { issueRelation { id } } }`,
  );
  await gql(`mutation { issueArchive(id: "${ids.archivedIssue}") { success } projectArchive(id: "${ids.archivedProject}") { success }
    projectStatusArchive(id: "${ids.archivedStatus}") { success } cycleArchive(id: "${ids.archivedCycle}") { success }
    workflowStateArchive(id: "${ids.archivedState}") { success } }`);
  const filed = await gql(
    `mutation { issueCreateFromFailure(input: { teamId: "${team}", failureGroupId: "${group}" }) { issue { id } } }`,
  );
  const failureIssue = filed.issueCreateFromFailure.issue.id;
  return { ...ids, relation: related.issueRelationCreate.issueRelation.id, failureIssue };
}
