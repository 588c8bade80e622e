import { randomUUID } from "node:crypto";
import { updateHourAndGroupCounts } from "../../../server/jobs/analytics.ts";
import { callRestApi, startSharedServer, type Tenant } from "../server.ts";

/** Parts of a filled organization. */
export interface WebWorld {
  teamId: string;
  /** Main issue, to which the other entities belong, and the issue's address. */
  identifier: string;
  issueId: string;
  path: string;
  labelId: string;
  projectId: string;
  projectPath: string;
  userId: string;
  tool: string;
  /** User and tool with hostile names. */
  hostile?: { user: string; tool: string };
}

/** Number of characters that fits in a field of at most 256 KiB, and number that is still rendered as Markdown. */
const WITHIN = 200_000;
const WITHIN_MARKDOWN = 20_000;
const longText = (texts: readonly string[], most = WITHIN): string =>
  texts.map((text) => text.slice(0, most)).join("\n\n");

/** Returns the start of each text, as a name. Texts that start with white space only are left out. */
const namesOf = (texts: readonly string[], most: number): string[] =>
  texts.map((text) => text.slice(0, most).trim()).filter((text) => text !== "");

/**
 * Creates a team with issues, comments, a label and a project, and recorded users and sessions with calls that fail.
 */
export async function createWorld(tenant: Tenant, hostile: readonly string[] = []): Promise<WebWorld> {
  const { teamCreate } = await tenant.gql(
    `mutation { teamCreate(input: { name: "Engineering", key: "ENG" }) { team { id } } }`,
  );
  const teamId = teamCreate.team.id;
  const { issueLabelCreate } = await tenant.gql(
    `mutation { issueLabelCreate(input: { name: "regression", color: "#cc2222" }) { issueLabel { id } } }`,
  );
  const labels = await Promise.all(
    namesOf(hostile, 200).map((text, n) =>
      tenant.gql(
        `mutation($name: String!) { issueLabelCreate(input: { name: $name, color: "#cc2222" }) { issueLabel { id } } }`,
        {
          name: `${text} ${n}`,
        },
      ),
    ),
  );
  const { projectCreate } = await tenant.gql(
    `mutation($input: ProjectCreateInput!) { projectCreate(input: $input) { project { id url } } }`,
    { input: { name: "Checkout 4.18", teamIds: [teamId], content: longText(["Round **once**.", ...hostile]) } },
  );
  const make = (input: object) =>
    tenant.gql(`mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id identifier url } } }`, {
      input: { teamId, ...input },
    });
  const labelId = issueLabelCreate.issueLabel.id;
  const { issueCreate } = await make({
    title: "Build fails on main: cannot find module ../money/round",
    description: longText([DESCRIPTION, ...hostile], WITHIN_MARKDOWN),
    priority: 1,
    labelIds: [labelId, ...labels.map((made) => made.issueLabelCreate.issueLabel.id)],
    projectId: projectCreate.project.id,
  });
  for (const title of ["Release 4.18.1", ...namesOf(hostile, 500)])
    await make({ title, parentId: issueCreate.issue.id });
  await tenant.gql(`mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success } }`, {
    input: { issueId: issueCreate.issue.id, body: longText(["Fixed in `4.18.1`, on staging.", ...hostile]) },
  });
  const userId = "mira@northwind.test";
  await record(tenant, userId, hostile);
  await updateHourAndGroupCounts((await startSharedServer()).runtime);
  for (const name of namesOf(hostile, 250)) await nameThings(tenant, name);
  return {
    teamId,
    identifier: issueCreate.issue.identifier,
    issueId: issueCreate.issue.id,
    path: new URL(issueCreate.issue.url).pathname,
    labelId,
    projectId: projectCreate.project.id,
    projectPath: new URL(projectCreate.project.url).pathname,
    userId,
    tool: "Bash",
    ...(hostile[1] && { hostile: { user: hostile[1].slice(0, 200), tool: hostile[1].slice(0, 200) } }),
  };
}

/** Creates the entities that a user names in the settings. */
async function nameThings({ rest }: Tenant, name: string): Promise<void> {
  const made = [
    await rest("POST", "/api/agents", { name }),
    await rest("POST", "/api/api-keys", { label: name }),
    await rest("POST", "/api/ingest-keys", { name }),
  ];
  for (const { status, body } of made) if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
}

const DESCRIPTION = `Since #412 was merged, \`npm run build\` stops on main with **TS2307**.

- The import points at \`src/money/round.ts\`, which #412 removed.
- VAT must stay rounded half to even. [The runbook](https://example.com/runbook) says why.`;

/** Records sessions of a user, one day apart. Every fifth call fails in one of two ways. */
async function record(tenant: Tenant, userId: string, hostile: readonly string[]): Promise<void> {
  const headers = { "x-api-key": tenant.ingestKey };
  const texts = namesOf(hostile, 2_000);
  const traits = Object.fromEntries([["plan", "pro"], ...texts.map((text, n) => [`t${n} ${text.slice(0, 40)}`, text])]);
  const users = [userId, "jonas", ...namesOf(hostile, 200)];
  for (const [at, user_id] of users.entries()) {
    const session_id = randomUUID();
    const text = texts[at - 2];
    await callRestApi(tenant.url, "POST", "/api/v1/capture-session", {
      body: {
        session_id,
        user_data: { user_id, ...traits },
        metadata: {},
        timestamp: Date.now() - (at + 1) * 3_600_000,
      },
      headers,
    });
    const events = eventsOf(session_id, Date.now() - (at + 1) * 600_000, text);
    await callRestApi(tenant.url, "POST", "/api/v1/capture-events", { body: { events }, headers });
  }
}

/** Returns the events of a turn with forty calls, or with fewer calls if a hostile text is in every text field. */
function eventsOf(session_id: string, begin: number, text: string | undefined): object[] {
  const parent_id = randomUUID();
  const turn = {
    event_id: parent_id,
    session_id,
    primitive_name: text?.slice(0, 200) ?? "claude-code",
    args: text ?? "Why is CI red?",
    result: text ?? "Fixed.",
    timestamp: begin,
  };
  const calls = Array.from({ length: text ? 3 : 40 }, (_, n) => ({
    event_id: randomUUID(),
    session_id,
    parent_id,
    primitive_type: "tool",
    primitive_name: text && n === 1 ? text.slice(0, 200) : n % 3 === 0 ? "Read" : "Bash",
    args: JSON.stringify({ command: text ?? `npm test ${n}` }),
    result: text ?? (n % 5 === 0 ? `exit ${n}: cannot open src/cart/part-${n}.ts` : "ok"),
    success: text ? n === 0 : n % 5 !== 0,
    latency: 7 * (n + 1) ** 2,
    timestamp: begin + n * 1_000,
  }));
  return [turn, ...calls];
}
