import { expect } from "chai";
import { type GraphQLInputObjectType, getNamedType } from "graphql";
import { knex, toStatement } from "../../../db/builder.ts";
import { createMissingIndexes } from "../../../db/text/background-indexes.ts";
import { combinedSchema } from "../../../server/graphql/schema.ts";
import { updateHourAndGroupCounts } from "../../../server/jobs/analytics.ts";
import { processNewEvents } from "../../../server/jobs/mentions/new-events.ts";
import { entityModel, rootToManyLinks } from "../../../server/resources/index.ts";
import { excludeFromComparison, repairDerivedValues } from "../../support/db/derived.ts";
import { collectReads } from "../../support/db/statements.ts";
import { startOwnServer } from "../../support/own-server.ts";
import { createEvent } from "../../support/recording/ingest.ts";
import { sendRecording } from "../../support/recording/recordings.ts";
import { createOrganization, startSharedServer } from "../../support/server.ts";
import { createRule, evaluateRulesNow, SIGNING_SECRET } from "../../support/stream/notices.ts";
import { createWorkspace, createWorkspaceIn, type Workspace } from "../../support/workspace.ts";

/**
 * Words of ten scripts whose letters have a composed and a decomposed form. The eleventh word is in a form between the
 * two.
 */
const WORDS = ["Größe", "Thất", "결제", "ガスの", "Ёлкий", "Ώρα", "آدم", "ऩमस्ते", "ো", "ௌவொ", "Ế"];
const WHOLE = WORDS.join(" ");
const NFC = WHOLE.normalize("NFC");
const NFD = WHOLE.normalize("NFD");
/** The words in alternating normal forms (NFC and NFD). */
const MIXED = WORDS.map((word, at) => word.normalize(at % 2 ? "NFC" : "NFD")).join(" ");
const FORMS = [NFC, NFD, MIXED];

/** The lists of the schema with a filter that compares text, and the compared fields. */
const LISTS = Object.values(combinedSchema.getQueryType()?.getFields() ?? {}).flatMap(({ name, args }) => {
  const entity = entityModel.get(rootToManyLinks[name]?.entity ?? "");
  const filter = args.find((each) => each.name === "filter");
  if (!filter || !entity?.table) return [];
  const members = Object.values((getNamedType(filter.type) as GraphQLInputObjectType).getFields());
  const texts = members.filter(({ type }) => /^(Nullable)?StringComparator$/.test(getNamedType(type).name));
  const columns = texts.filter((each) => each.name in entity.columns && !entity.exact?.includes(each.name));
  return columns.length > 0 ? [{ name, entity, fields: columns.map((each) => each.name) }] : [];
});

/** Creates row `n` of each tracker entity, by entity name. Each test creates three. */
const MAKE: Readonly<Record<string, (space: Workspace, n: number) => Promise<unknown>>> = {
  issues: (space, n) => space.issue({ title: `Issue ${n}` }),
  comments: async (space, n) => {
    const { id } = await space.issue();
    return space.does("commentCreate", { input: { issueId: id, body: `Body ${n}` } });
  },
  teams: (space, n) => space.does("teamCreate", { input: { name: `Team ${n}`, key: `TT${n}` } }),
  projects: (space, n) => space.does("projectCreate", { input: { name: `P ${n}`, teamIds: [space.teamId] } }),
  projectStatuses: (space, n) =>
    space.does("projectStatusCreate", { input: { name: `S ${n}`, type: "backlog", color: "#aabbcc", position: n } }),
  projectMilestones: async (space, n) => {
    const input = { name: `P ${n}`, teamIds: [space.teamId] };
    const { project } = await space.does("projectCreate", { input }, "project { id }");
    return space.does("projectMilestoneCreate", { input: { name: `M ${n}`, projectId: project.id } });
  },
  customViews: (space, n) =>
    space.does("customViewCreate", { input: { name: `V ${n}`, shared: true, filterData: {} } }),
  cycles: (space, n) => {
    const day = (at: number) => new Date(Date.UTC(2030, 0, 1 + at)).toISOString();
    return space.does("cycleCreate", {
      input: { teamId: space.teamId, name: `C ${n}`, startsAt: day(10 * n), endsAt: day(10 * n + 7) },
    });
  },
  workflowStates: (space, n) =>
    space.does("workflowStateCreate", {
      input: { teamId: space.teamId, name: `W ${n}`, type: "started", color: "#aabbcc" },
    }),
  issueLabels: (space, n) => space.does("issueLabelCreate", { input: { name: `L ${n}` } }),
  externalUsers: async (space, n) => {
    const { db } = (await startSharedServer()).runtime;
    const at = new Date();
    const row = { id: crypto.randomUUID(), name: `E ${n}`, displayName: "E", createdAt: at, updatedAt: at };
    await db.query(toStatement(knex("externalUser").insert({ organizationId: space.organizationId, ...row })));
  },
};

/**
 * Writes the text in three normal forms into the newest three rows of a table. By SQL, because the API refuses
 * duplicates of some names.
 */
async function write(space: Workspace, table: string, tenant: string, column: string): Promise<void> {
  const { db } = (await startSharedServer()).runtime;
  excludeFromComparison(space.organizationId);
  const ids = await db.query<{ id: string }>(
    toStatement(
      knex(table)
        .where({ [tenant]: space.organizationId })
        .orderBy("createdAt", "desc")
        .orderBy("id", "desc")
        .limit(3)
        .select("id"),
    ),
  );
  expect(ids, table).to.have.length(3);
  for (const [at, { id }] of ids.entries())
    await db.query(
      toStatement(
        knex(table)
          .where({ [tenant]: space.organizationId, id })
          .update({ [column]: FORMS[at] }),
      ),
    );
}

const POSITIVE = [
  "eq",
  "in",
  "eqIgnoreCase",
  "contains",
  "containsIgnoreCase",
  "startsWith",
  "startsWithIgnoreCase",
  "endsWith",
];
const NEGATIVE = [
  "neq",
  "nin",
  "neqIgnoreCase",
  "notContains",
  "notContainsIgnoreCase",
  "notStartsWith",
  "notEndsWith",
];

/** Returns operands for which a comparator is true of the text. */
function operandsOf(comparator: string): string[] {
  if (/contains/i.test(comparator)) return WORDS;
  if (/startsWith/i.test(comparator)) return [WORDS.slice(0, 3).join(" ")];
  return /endsWith/i.test(comparator) ? [WORDS.slice(-3).join(" ")] : [WHOLE];
}

const inForms = (text: string): string[] => [...new Set([text.normalize("NFC"), text.normalize("NFD")])];

describe("text in different Unicode normal forms", () => {
  it("is tested for every list of the tracker whose filter compares text", () => {
    const tracker = LISTS.filter(({ entity }) => !entity.table.startsWith("recorded_") && entity.name !== "User");
    expect(Object.keys(MAKE).sort()).to.include.members(tracker.map(({ name }) => name).sort());
  });

  for (const { name, entity, fields } of LISTS.filter(({ name: list }) => list in MAKE)) {
    it(`in the filter of ${name}: each comparator of ${fields.join(", ")} finds the same rows in either form`, async () => {
      const space = await createWorkspace();
      for (const n of [1, 2, 3]) await MAKE[name]?.(space, n);
      for (const field of fields) {
        await write(space, entity.table, "organizationId", entity.names?.[field] ?? field);
        await repairDerivedValues(space.organizationId);
        const found = async (comparator: string, operand: string) => {
          const value = ["in", "nin"].includes(comparator) ? [operand] : operand;
          const filter = (
            getNamedType(
              combinedSchema
                .getQueryType()
                ?.getFields()
                [name]?.args.find((each) => each.name === "filter")?.type,
            ) as GraphQLInputObjectType
          ).name;
          const query = `query ($filter: ${filter}) { ${name}(filter: $filter, first: 50) { nodes { id ${field} } } }`;
          const reply = await space.gql(query, { filter: { [field]: { [comparator]: value } } });
          return reply[name].nodes.filter(
            (node: Record<string, string>) => String(node[field]).normalize("NFC") === NFC,
          ).length;
        };
        for (const comparator of [...POSITIVE, ...NEGATIVE])
          for (const text of operandsOf(comparator))
            for (const operand of inForms(text))
              expect(await found(comparator, operand), `${field} ${comparator} ${JSON.stringify(operand)}`).to.equal(
                POSITIVE.includes(comparator) ? 3 : 0,
              );
      }
    });
  }

  it("in searchIssues and similarIssues finds the same issues in either form", async () => {
    const space = await createWorkspace();
    for (const form of FORMS) await space.issue({ title: form, description: `about ${form}` });
    const { id } = await space.issue({ title: "Quiet" });
    await space.does("commentCreate", { input: { issueId: id, body: NFD } });
    for (const word of WORDS)
      for (const term of [...inForms(word), ...inForms(`"${word}"`)]) {
        const query = "query ($term: String!) { searchIssues(term: $term, includeComments: true) { totalCount } }";
        expect((await space.gql(query, { term })).searchIssues.totalCount, JSON.stringify(term)).to.equal(4);
      }
    const similar = "query ($title: String!) { similarIssues(title: $title) { nodes { title } } }";
    const [one, other] = await Promise.all([NFC, NFD].map((title) => space.gql(similar, { title })));
    expect(one).to.deep.equal(other);
    expect(one.similarIssues.nodes).to.have.length(3);
    const stored = await space.gql("{ issues { nodes { title } } }");
    expect(stored.issues.nodes.map(({ title }: { title: string }) => title)).to.include.members(FORMS);
  });

  it("in searchIssues finds what 0.2.0 found before the job has normalized stored texts, and everything afterwards", async () => {
    const space = await createWorkspace();
    for (const form of [NFC, NFD]) await space.issue({ title: form });
    const { db } = (await startSharedServer()).runtime;
    excludeFromComparison(space.organizationId);
    const before = `update "issueText" x set text = ' ' || i.title || ' ' from issue i
      where i."organizationId" = x."organizationId" and i.id = x.id and x."organizationId" = $1`;
    await db.query({ text: before, values: [space.organizationId] });
    const found = async (term: string) => {
      const query = "query ($term: String!) { searchIssues(term: $term) { nodes { title } } }";
      return (await space.gql(query, { term })).searchIssues.nodes.map(({ title }: { title: string }) => title);
    };
    for (const word of ["Größe", "결제", "Thất"]) {
      expect(await found(word.normalize("NFC"))).to.include(NFC);
      expect(await found(word.normalize("NFD"))).to.include.members([NFC, NFD]);
    }
    await repairDerivedValues(space.organizationId);
    for (const word of WORDS) for (const term of inForms(word)) expect(await found(term), term).to.have.length(2);
  });

  it("in recordedSearch and session filters finds the same events in either form", async () => {
    const space = await createWorkspace();
    const { db } = (await startSharedServer()).runtime;
    for (const form of FORMS) {
      const ids = { organization_id: space.organizationId, session_id: crypto.randomUUID() };
      const at = new Date();
      await db.query(
        toStatement(
          knex("recorded_session").insert({
            ...ids,
            metadata: {},
            timestamp: at,
            timestamp_sent: true,
            registered: true,
            received_at: at,
            last_received_at: at,
            client_config: form,
            events: 1,
          }),
        ),
      );
      await db.query(
        toStatement(
          knex("recorded_event").insert({
            ...ids,
            event_id: crypto.randomUUID(),
            timestamp: at,
            received_at: at,
            timestamp_sent: true,
            success: true,
            primitive_name: form,
            args: `see ${form} there`,
            result: "done",
            kind: "turn",
          }),
        ),
      );
    }
    excludeFromComparison(space.organizationId);
    for (const word of WORDS)
      for (const term of inForms(word)) {
        const query = "query ($term: String!) { recordedSearch(term: $term) { nodes { name snippet } } }";
        expect((await space.gql(query, { term })).recordedSearch.nodes, term).to.have.length(3);
      }
    for (const operand of inForms(WHOLE))
      for (const field of ["clientConfig", "agent"]) {
        const query = "query ($filter: RecordedSessionFilter) { recordedSessions(filter: $filter) { nodes { id } } }";
        const { recordedSessions } = await space.gql(query, { filter: { [field]: { eq: operand } } });
        expect(recordedSessions.nodes, field).to.have.length(3);
      }
  });

  it("is equal in either form as tool name, metadata value, trait and agent of a retention rule", async () => {
    const space = await createWorkspace();
    for (const [at, form] of inForms(WHOLE).entries()) {
      const turn = createEvent({ primitive_name: form });
      const fails = { primitive_name: form, primitive_type: "tool", success: false, result: "no such unicorn" };
      const events = [turn, { ...createEvent(fails), session_id: turn.session_id, parent_id: turn.event_id }];
      await sendRecording(space, { path: "/api/v1/capture-events", body: { events } });
      const user = { user_id: `u-${at}`, form };
      const session = { session_id: turn.session_id, user_data: user, metadata: { form } };
      await sendRecording(space, { path: "/api/v1/capture-session", body: session });
    }
    const { db } = (await startSharedServer()).runtime;
    const query = `query ($name: String!, $eq: JSON, $in: [JSON!]) {
      recordedTool(name: $name) { calls failureGroups { count } }
      is: recordedSessions(filter: { metadata: { key: "form", eq: $eq } }) { nodes { id } }
      among: recordedSessions(filter: { metadata: { key: "form", in: $in } }) { nodes { id } }
      not: recordedSessions(filter: { metadata: { key: "form", neq: $eq } }) { nodes { id } }
      users: recordedUsers(filter: { traits: { key: "form", eq: $eq } }) { nodes { id } }
    }`;
    const found = async (text: string) => {
      const data = await space.gql(query, { name: text, eq: text, in: [text] });
      const lists = ["is", "among", "not", "users"].map((list) => data[list].nodes.length);
      return [data.recordedTool.calls, data.recordedTool.failureGroups.length, ...lists];
    };
    for (const isCounted of [false, true]) {
      for (const text of inForms(WHOLE)) expect(await found(text), String(isCounted)).to.deep.equal([2, 2, 2, 2, 0, 2]);
      await processNewEvents(db);
      await updateHourAndGroupCounts((await startSharedServer()).runtime);
    }
    await space.does("organizationUpdate", { input: { retentionAgents: [{ agent: NFC, sessionDays: 3 }] } });
    const expiring = await space.gql("{ recordedSessionsExpiring { nodes { id } } }");
    expect(expiring.recordedSessionsExpiring.nodes).to.have.length(2);
  });

  it("in a notice rule about a tool matches the tool's name in another form", async () => {
    const space = await createWorkspace();
    const fails = { primitive_name: NFD, primitive_type: "tool", success: false, timestamp: Date.now() };
    const session_id = crypto.randomUUID();
    const events = [1, 2, 3].map(() => ({ ...createEvent(), ...fails, session_id }));
    await sendRecording(space, { path: "/api/v1/capture-events", body: { events } });
    const { runtime } = await startSharedServer();
    await processNewEvents(runtime.db);
    await updateHourAndGroupCounts(runtime);
    const input = { name: "rate", condition: "toolFailureRate", threshold: 50, minimumCalls: 3, tool: NFC };
    await createRule(space, { ...input, channel: "webhook", url: "http://127.0.0.1:9", secret: SIGNING_SECRET });
    await evaluateRulesNow(space);
    const firings = await runtime.db.query({
      text: `select 1 from notice where "organizationId" = $1`,
      values: [space.organizationId],
    });
    expect(firings).to.have.length(1);
  });

  it("is refused as a duplicate name of a label, state or status in the other form, also for concurrent creations", async () => {
    const space = await createWorkspace();
    const label = (name: string) => space.does("issueLabelCreate", { input: { name } });
    const results = await Promise.allSettled(inForms("Größe").map(label));
    expect(results.map(({ status }) => status).sort()).to.deep.equal(["fulfilled", "rejected"]);
    const state = (name: string) => ({ input: { teamId: space.teamId, name, type: "started", color: "#aabbcc" } });
    await space.does("workflowStateCreate", state("Prüfung"));
    expect(await space.refuses("workflowStateCreate", state("prüfung".normalize("NFD")))).to.be.an("object");
    const status = (name: string) => ({ input: { name, type: "backlog", color: "#aabbcc", position: 9 } });
    await space.does("projectStatusCreate", status("Geprüft"));
    expect(await space.refuses("projectStatusCreate", status("Geprüft".normalize("NFD")))).to.be.an("object");
  });

  it("in duplicate names from 0.2.0 stays usable, can be renamed, and breaks no index", async () => {
    const space = await createWorkspace();
    const { db } = (await startSharedServer()).runtime;
    const create = async (name: string) =>
      (await space.does("issueLabelCreate", { input: { name } }, "issueLabel { id }")).issueLabel.id;
    const [one, twin] = [await create("Größe"), await create("Twin")];
    const named = { name: "Größe".normalize("NFD") };
    await db.query(
      toStatement(knex("issueLabel").where({ organizationId: space.organizationId, id: twin }).update(named)),
    );
    await createMissingIndexes(db);
    await space.does("issueLabelUpdate", { id: twin, input: { description: "kept" } });
    await space.does("issueLabelUpdate", { id: twin, input: { ...named, description: "still" } });
    await space.does("issueLabelUpdate", { id: twin, input: { name: "Other" } });
    await space.does("issueLabelUpdate", { id: one, input: named });
  });

  it("in a title is found by an index: PostgreSQL expects few matching rows", async function () {
    if (!process.env["TEST_DATABASE_URL"]) this.skip();
    // The plan depends on all rows of the table, so a new server without the issues of other tests is needed.
    const { app, end } = await startOwnServer();
    const space = await createWorkspaceIn(await createOrganization(app));
    const { db } = app.runtime;
    const { id } = await space.issue({ title: "First" });
    excludeFromComparison(space.organizationId);
    const copies = `insert into issue select (jsonb_populate_record(i, jsonb_build_object('id', gen_random_uuid(),
        'number', 1000 + n, 'title', 'Title ' || n))).* from issue i, generate_series(1, 20000) n
      where i."organizationId" = $1 and i.id = $2`;
    await db.query({ text: copies, values: [space.organizationId, id] });
    await createMissingIndexes(db);
    await db.query({ text: "analyze issue" });
    const query = "query ($filter: IssueFilter) { issues(filter: $filter) { nodes { id } } }";
    const given = [{ eq: "Größe".normalize("NFD") }, { in: ["Größe", "Title 7"] }];
    for (const title of given) {
      const [statement] = await collectReads(app, () => space.gql(query, { filter: { title } }));
      const explained = await db.query<Record<string, unknown>>({
        text: `explain (format json) ${statement?.text}`,
        values: statement?.values ?? [],
      });
      const plan = JSON.stringify(explained);
      const rows = /"Relation Name":"issue"[^{}]*?"Plan Rows":(\d+)/.exec(plan)?.[1];
      expect(Number(rows), plan).to.be.at.most(8);
      expect(plan).to.contain('"issue_title"').and.to.contain('"issue_title_composed"');
    }
    await end();
  });

  it("in emails and urlKeys is compared by bytes", async () => {
    const space = await createWorkspace();
    const query = "query ($filter: UserFilter) { users(filter: $filter) { nodes { email } } }";
    const { users } = await space.gql(query, { filter: { email: { contains: "@" } } });
    const { db } = (await startSharedServer()).runtime;
    excludeFromComparison(space.organizationId);
    await db.query({
      text: `update "user" set email = $2 where "organizationId" = $1`,
      values: [space.organizationId, "größe@example.com"],
    });
    const of = async (email: string) =>
      (await space.gql(query, { filter: { email: { eq: email } } })).users.nodes.length;
    expect([
      users.nodes.length,
      await of("größe@example.com"),
      await of("größe@example.com".normalize("NFD")),
    ]).to.deep.equal([1, 1, 0]);
  });
});
