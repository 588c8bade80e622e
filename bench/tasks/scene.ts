import { randomUUID } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { createOrganization, callRestApi as rest, type Tenant } from "../../test/support/server.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The date the given number of days from today, as an ISO date. */
export const dayFromToday = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

/** An issue of the scene: title, priority, labels, and further optional values by name. */
type Row = [title: string, priority: number, labels: string, more?: { state?: string; in?: string; due?: string }];

/** Issues of ENG. `in` lists which of `me` (the assignee), a project and `cycle` (the current cycle) apply. */
const ENG: readonly Row[] = [
  ["Login fails on Safari", 1, "bug", { state: "Todo", in: "Checkout cycle" }],
  ["Export times out", 2, "bug", { state: "In Progress", in: "me cycle" }],
  ["Write the install guide", 4, "docs", { due: dayFromToday(-1) }],
  ["Add keyboard shortcuts", 3, "ui"],
  ["Invoice total is wrong with two tax rates", 2, "bug", { in: "Checkout" }],
  ["Dark mode", 0, "ui", { in: "cycle" }],
  ["Old crash", 0, "bug", { state: "Done", in: "me" }],
  ["Index the comments", 0, "", { in: "me Search" }],
  ["Rank by date", 0, "", { in: "Search" }],
  ["Login page is blank", 0, "bug", { state: "Todo" }],
];
const OPS: readonly Row[] = [
  ["Rotate certificates", 0, ""],
  ["Upgrade PostgreSQL", 0, "", { state: "Todo", in: "me" }],
];

/** Creates an organization with two teams, their issues, two cycles and two projects. */
export async function freshScene(): Promise<Tenant> {
  const tenant = await createOrganization();
  const { gql } = tenant;
  const team = (key: string, name: string) =>
    `${key}: teamCreate(input: { key: "${key}", name: "${name}" }) { team { id states { nodes { id name } } } }`;
  const label = (name: string) => `${name}: issueLabelCreate(input: { name: "${name}" }) { row: issueLabel { id } }`;
  const made = await gql(`mutation { ${team("ENG", "Engineering")} ${team("OPS", "Operations")}
    ${["bug", "ui", "docs"].map(label).join(" ")} }`);
  const teamId = made.ENG.team.id;
  const project = (name: string) =>
    `${name}: projectCreate(input: { name: "${name}", teamIds: ["${teamId}"] }) { row: project { id } }`;
  const cycle = (name: string, from: number) => `${name}: cycleCreate(input: { teamId: "${teamId}",
    startsAt: "${dayFromToday(from)}T00:00:00Z", endsAt: "${dayFromToday(from + 14)}T00:00:00Z" }) { row: cycle { id } }`;
  const planned = await gql(
    `mutation { ${project("Checkout")} ${project("Search")} ${cycle("cycle", -7)} ${cycle("later", 7)} }`,
  );
  const { viewer } = await gql("{ viewer { id } }");
  await gql(
    `mutation { projectMilestoneCreate(input: { projectId: "${planned.Checkout.row.id}", name: "Alpha" }) { success } }`,
  );
  const rows: Rows = { ...made, ...planned, me: { row: viewer } };
  const of = (key: "ENG" | "OPS", issues: readonly Row[]) => issues.map((row) => inputOf(made[key].team, row, rows));
  const issues = [...of("ENG", ENG), ...of("OPS", OPS)];
  const [index, rank] = [issues[7]?.id, issues[8]?.id];
  await gql("mutation ($input: IssueBatchCreateInput!) { issueBatchCreate(input: $input) { success } }", {
    input: { issues, relations: [{ type: "blocks", issueId: index, relatedIssueId: rank }] },
  });
  return tenant;
}

type Team = { id: string; states: { nodes: { id: string; name: string }[] } };
type Rows = Record<string, { row: { id: string } }>;

function inputOf({ id: teamId, states }: Team, [title, priority, labels, more = {}]: Row, rows: Rows) {
  const within = (more.in ?? "").split(" ");
  const idOf = (...names: string[]) => rows[names.find((name) => within.includes(name)) ?? ""]?.row.id;
  return {
    id: uuidv7(),
    teamId,
    title,
    priority,
    stateId: states.nodes.find(({ name }) => name === (more.state ?? "Backlog"))?.id,
    labelIds: labels ? [rows[labels]?.row.id] : [],
    assigneeId: idOf("me"),
    projectId: idOf("Checkout", "Search"),
    cycleId: idOf("cycle"),
    dueDate: more.due,
  };
}

export async function recordFailure({ url, ingestKey }: Tenant): Promise<void> {
  const [session_id, turn] = [randomUUID(), randomUUID()];
  const said = {
    event_id: turn,
    primitive_name: "support-bot",
    args: "Run the tests again.",
    result: "They timed out.",
  };
  const calls = ["lint", "build", "run_tests"].map((primitive_name) => ({
    ...{ event_id: randomUUID(), parent_id: turn, primitive_name, args: `{"path":"."}` },
    ...(primitive_name === "run_tests"
      ? { success: false, result: `{"error":"timeout after 30 s"}` }
      : { result: "fine" }),
  }));
  const body = { events: [said, ...calls].map((event) => ({ session_id, ...event })) };
  await rest(url, "POST", "/api/v1/capture-events", { headers: { "x-api-key": ingestKey }, body });
}
