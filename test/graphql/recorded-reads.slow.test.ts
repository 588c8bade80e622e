import { expect } from "chai";
import {
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  getOperationAST,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  parse,
} from "graphql";
import { knex, toStatement } from "../../db/builder.ts";
import { flushRecordedReadAudits } from "../../server/accounts/recorded-reads.ts";
import { collectOperation } from "../../server/graphql/document/collect.ts";
import { isConstant } from "../../server/graphql/document/constant.ts";
import {
  findRecordingFields,
  RECORDED_TEXT_FIELD_NAMES,
  RECORDING_TYPE_NAMES,
} from "../../server/graphql/operation/recorded.ts";
import { combinedSchema } from "../../server/graphql/schema.ts";
import { listFields } from "../support/graphql/documents.ts";
import { startWorkingSession } from "../support/recording/agent-work.ts";
import { startSharedServer } from "../support/server.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

type Field = GraphQLField<unknown, unknown>;

/** Field with the type on which it is selected. */
interface Step {
  parent: string;
  field: Field;
}

/** Types that contain counts of recorded data, or names of tools or models, and no data about users. */
const COUNTS = new Set([
  ...["RecordedTotals", "RecordedUsage", "RecordedUsageGroup", "RecordedUsageDay", "RecordedService", "RecordedTool"],
  ...[
    "RecordedToolBucket",
    "RecordedToolStat",
    "RecordedToolStats",
    "RecordedSessionHistogram",
    "RecordedSessionBucket",
  ],
  ...["RecordedFailureAgent", "RecordedFailureDay", "RecordedFailureHour", "RecordedFailureSummary"],
]);

/** Finds the shortest path from a root to each readable field. */
function waysFrom(root: "Query" | "Mutation"): Step[][] {
  const ways: Step[][] = [];
  const seen = new Set<string>([root]);
  let next: { type: GraphQLNamedType; way: Step[] }[] = [
    { type: combinedSchema.getType(root) as GraphQLNamedType, way: [] },
  ];
  while (next.length > 0) {
    const found: typeof next = [];
    for (const { type, way } of next) {
      const types = isInterfaceType(type) ? combinedSchema.getPossibleTypes(type) : [type];
      for (const each of types.filter(isObjectType)) {
        for (const field of listFields(each)) {
          const here = [...way, { parent: each.name, field }];
          ways.push(here);
          const below = getNamedType(field.type);
          if (isLeafType(below) || seen.has(below.name) || isConstant(field)) continue;
          seen.add(below.name);
          found.push({ type: below, way: here });
        }
      }
    }
    next = found;
  }
  return ways;
}

function documentOf(root: "Query" | "Mutation", way: readonly Step[]): string {
  const variables: string[] = [];
  const write = ([step, ...rest]: readonly Step[], within: GraphQLNamedType): string => {
    if (!step) return isLeafType(within) ? "" : "{ __typename }";
    const args = step.field.args.filter(isRequiredArgument).map(({ name, type }) => {
      variables.push(`$v${variables.length}: ${type}`);
      return `${name}: $v${variables.length - 1}`;
    });
    const own = `${step.field.name}${args.length > 0 ? `(${args.join(", ")})` : ""} ${write(rest, getNamedType(step.field.type))}`;
    return `{ ${isInterfaceType(within) ? `... on ${step.parent} { ${own} }` : own} }`;
  };
  const body = write(way, combinedSchema.getType(root) as GraphQLNamedType);
  return `${root.toLowerCase()}${variables.length > 0 ? ` (${variables.join(", ")})` : ""} ${body}`;
}

/** Returns the fields through which the root field of a document reads recorded data. */
function readsOf(query: string): string[] {
  const document = parse(query);
  const node = getOperationAST(document);
  if (!node) throw new Error(query);
  return collectOperation(document, node, {}).roots.flatMap((each) => [...findRecordingFields(each)]);
}

const showsRecording = (way: readonly Step[]): boolean =>
  !way.some(({ field }) => isConstant(field)) &&
  way.some(
    ({ parent, field }) => RECORDING_TYPE_NAMES.has(parent) || RECORDED_TEXT_FIELD_NAMES.has(`${parent}.${field.name}`),
  );

describe("the audit log of reads of recorded data", () => {
  it("classifies every type and field with recorded names as data or as counts", () => {
    const shown = Object.values(combinedSchema.getTypeMap()).filter(isObjectType);
    const recorded = shown.filter(({ name }) => /^Recorded/.test(name) && !/(?:Connection|Edge|Payload)$/.test(name));
    expect(
      recorded.map(({ name }) => name).filter((name) => !RECORDING_TYPE_NAMES.has(name) && !COUNTS.has(name)),
    ).to.deep.equal([]);
    expect([...COUNTS].filter((name) => RECORDING_TYPE_NAMES.has(name))).to.deep.equal([]);
    const told = shown.flatMap((type) =>
      listFields(type)
        .filter((field) => String(getNamedType(field.type)) === "String")
        .filter(({ description }) => /recorded (?:text|sessions in Markdown)/i.test(description ?? ""))
        .map((field) => [type.name, `${type.name}.${field.name}`] as const),
    );
    expect(told.length).to.be.above(2);
    for (const [type, field] of told)
      expect(RECORDING_TYPE_NAMES.has(type) || RECORDED_TEXT_FIELD_NAMES.has(field), field).to.equal(true);
  });

  for (const root of ["Query", "Mutation"] as const)
    it(`covers every path of the schema from ${root} to recorded data, and no other path`, () => {
      const ways = waysFrom(root);
      expect(ways.filter(showsRecording).length).to.be.above(100);
      const wrong = ways.flatMap((way) => {
        const query = documentOf(root, way);
        return readsOf(query).length > 0 === showsRecording(way) ? [] : [query];
      });
      expect(wrong).to.deep.equal([]);
    });

  describe("gets an entry", () => {
    let space: Workspace;
    let issue: any;
    let session: string;
    let event: string;
    before(async () => {
      space = await createWorkspace();
      issue = await space.issue();
      const work = await startWorkingSession(space, "Read the secret plan");
      session = work.id;
      await space.does("issueClaim", { input: { id: issue.id, sessionId: session } });
      await work.runs("npm test", 1, "2 failing");
      const { recordedSession } = await space.gql(
        `{ recordedSession(id: "${session}") { events { nodes { id args kind } } } }`,
      );
      event = recordedSession.events.nodes.find(({ kind }: any) => kind === "tool").id;
    });

    /** Returns the reads that were added to the audit log since the last call. */
    async function noted(): Promise<string[]> {
      const { db } = (await startSharedServer()).runtime;
      await flushRecordedReadAudits(db);
      const { body } = await space.rest("GET", "/api/audit?event=recording&limit=250");
      const entries = body["entries"] as { id: string; detail: Record<string, string> }[];
      await db.query(
        toStatement(
          knex("audit")
            .whereIn(
              "id",
              entries.map(({ id }) => id),
            )
            .delete(),
        ),
      );
      return [...new Set(entries.map(({ detail }) => String(detail["list"] ?? detail["sessionId"])))];
    }

    const TEXT = "events { nodes { args } }";
    const WAYS: readonly (readonly [name: string, query: () => string])[] = [
      ["Issue.sessions", () => `{ issue(id: "${issue.id}") { sessions { nodes { ${TEXT} } } } }`],
      ["Issue.sessions", () => `{ issues { edges { node { sessions { edges { node { id } } } } } } }`],
      ["Issue.sessions", () => `{ nodes(ids: ["${issue.id}"]) { ... on Issue { sessions { nodes { ${TEXT} } } } } }`],
      ["InboxEntry.event", () => "{ inbox { nodes { event { args } } } }"],
      ["InboxEntry.session", () => `{ inbox { nodes { session { ${TEXT} } } } }`],
      ["InboxEntry.question", () => "{ inbox { nodes { question } } }"],
      ["IssueSession.session", () => `{ issue(id: "${issue.id}") { sessionLinks { nodes { session { ${TEXT} } } } } }`],
      ["Issue.handover", () => `{ issue(id: "${issue.id}") { handover } }`],
      ["Issue.files", () => `{ issue(id: "${issue.id}") { files { nodes { path } } } }`],
      ["IssueProof.events", () => `{ issue(id: "${issue.id}") { proof { events { result } } } }`],
      [
        "Issue.sessions",
        () =>
          `mutation { issueUpdate(id: "${issue.id}", input: { title: "x" }) { issue { sessions { nodes { ${TEXT} } } } } }`,
      ],
      ["Issue.handover", () => `mutation { issueHandover(id: "${issue.id}") { issue { handover } } }`],
      ["recordedSearch", () => `{ recordedSearch(term: "secret plan") { nodes { snippet } } }`],
      ["recordedFailureGroups", () => "{ recordedFailureGroups { nodes { message } } }"],
      ["RecordedTool.failureGroups", () => `{ recordedTool(name: "Bash") { failureGroups { message } } }`],
    ];
    for (const [at, [name, query]] of WAYS.entries())
      it(`for ${name} (${at})`, async () => {
        await noted();
        const { data, errors } = await space.graphql(query());
        expect(errors, query()).to.equal(undefined);
        expect(data).to.be.an("object");
        expect(await noted()).to.deep.equal([name]);
      });

    it("with the session's id for one session and one event", async () => {
      await noted();
      await space.graphql(`{ recordedEvent(id: "${event}") { result } }`);
      expect(await noted()).to.deep.equal([session]);
    });

    it("only for responses with recorded data", async () => {
      await noted();
      for (const query of [
        `{ issue(id: "${issue.id}") { title sessions { pageInfo { hasNextPage } } } inbox { nodes { type } } }`,
        `{ recordedToolStats { tools { name } } recordedUsage(groupBy: agent) { groups { name } } }`,
        `{ recordedTool(name: "Bash") { calls } recordedSession(id: "${session}") { __typename } }`,
        `mutation { issueUpdate(id: "${issue.id}", input: { title: "y" }) { issue { title } } }`,
      ])
        expect((await space.graphql(query)).errors, query).to.equal(undefined);
      expect(await noted()).to.deep.equal([]);
    });
  });
});
