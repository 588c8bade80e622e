import { randomUUID } from "node:crypto";
import { call, type Tenant } from "./server.ts";

/** Texts that must stay texts, wherever they stand. */
export const HOSTILE = [
  '<img src=x onerror="window.__hit=1">',
  "<script>window.__hit=1</script>",
  '"><svg onload=window.__hit=1>',
  "[a link](javascript:window.__hit=1)",
  "[data](data:text/html,<script>window.__hit=1</script>)",
  "![pixel](https://elsewhere.example/pixel.png)",
  "\u202Eright to left\u202C and \u2066isolated\u2069",
  "{{constructor.constructor('window.__hit=1')()}}",
  "<style>*{display:none!important}</style>",
  "<a href=vbscript:x>old</a><iframe srcdoc='<script>parent.__hit=1</script>'></iframe>",
  "`window.__hit=1` $(window.__hit=1)",
  "W".repeat(20_000),
];

/** What was made of an organization. */
export interface World {
  teamId: string;
  /** The issue that everything hangs on, and its address. */
  identifier: string;
  issueId: string;
  path: string;
  labelId: string;
  projectPath: string;
  userId: string;
  tool: string;
}

/** A team with issues, comments, a label and a project; recorded users and sessions with calls that fail. */
export async function makeWorld(tenant: Tenant, hostile: readonly string[] = []): Promise<World> {
  const { teamCreate } = await tenant.gql(
    `mutation { teamCreate(input: { name: "Engineering", key: "ENG" }) { team { id } } }`,
  );
  const teamId = teamCreate.team.id;
  const { issueLabelCreate } = await tenant.gql(
    `mutation { issueLabelCreate(input: { name: "regression", color: "#cc2222" }) { issueLabel { id } } }`,
  );
  const { projectCreate } = await tenant.gql(
    `mutation($input: ProjectCreateInput!) { projectCreate(input: $input) { project { id url } } }`,
    { input: { name: "Checkout 4.18", teamIds: [teamId], content: ["Round **once**.", ...hostile].join("\n\n") } },
  );
  const make = (input: object) =>
    tenant.gql(`mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id identifier url } } }`, {
      input: { teamId, ...input },
    });
  const labelId = issueLabelCreate.issueLabel.id;
  const { issueCreate } = await make({
    title: "Build fails on main: cannot find module ../money/round",
    description: [DESCRIPTION, ...hostile].join("\n\n"),
    priority: 1,
    labelIds: [labelId],
    projectId: projectCreate.project.id,
  });
  for (const title of ["Release 4.18.1", ...hostile.map((text) => text.slice(0, 500))])
    await make({ title, parentId: issueCreate.issue.id });
  await tenant.gql(`mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success } }`, {
    input: { issueId: issueCreate.issue.id, body: ["Fixed in `4.18.1`, on staging.", ...hostile].join("\n\n") },
  });
  const userId = "mira@northwind.test";
  await record(tenant, userId, hostile);
  return {
    teamId,
    identifier: issueCreate.issue.identifier,
    issueId: issueCreate.issue.id,
    path: new URL(issueCreate.issue.url).pathname,
    labelId,
    projectPath: new URL(projectCreate.project.url).pathname,
    userId,
    tool: "Bash",
  };
}

const DESCRIPTION = `Since #412 was merged, \`npm run build\` stops on main with **TS2307**.

- The import points at \`src/money/round.ts\`, which #412 removed.
- VAT must stay rounded half to even. [The runbook](https://example.com/runbook) says why.`;

/** Sessions of a user, a day of calls, every fifth of which fails in one of two ways. */
async function record(tenant: Tenant, userId: string, hostile: readonly string[]): Promise<void> {
  const headers = { "x-api-key": tenant.ingestKey };
  const texts = hostile.map((text) => text.slice(0, 2_000));
  for (const [at, user] of [userId, "jonas", ...texts.map((text) => text.slice(0, 200))].entries()) {
    const session_id = randomUUID();
    const traits = Object.fromEntries([["plan", "pro"], ...texts.map((text, n) => [`t${n}`, text])]);
    const user_data = { user_id: user, ...traits };
    await call(tenant.url, "POST", "/api/v1/capture-session", {
      body: { session_id, user_data, metadata: {}, timestamp: Date.now() - (at + 1) * 3_600_000 },
      headers,
    });
    const parent_id = randomUUID();
    const begin = Date.now() - (at + 1) * 3_600_000;
    const turn = {
      event_id: parent_id,
      session_id,
      primitive_name: "claude-code",
      args: "Why is CI red?",
      result: "Fixed.",
      timestamp: begin,
    };
    const calls = Array.from({ length: 40 }, (_, n) => ({
      event_id: randomUUID(),
      session_id,
      parent_id,
      primitive_name: n % 3 === 0 ? "Read" : "Bash",
      args: JSON.stringify({ command: `npm test ${n}` }),
      result:
        n % 5 === 0 ? (texts[n % Math.max(1, texts.length)] ?? `exit ${n}: cannot open src/cart/part-${n}.ts`) : "ok",
      success: n % 5 !== 0,
      latency: 7 * (n + 1) ** 2,
      timestamp: begin + n * 1_000,
    }));
    await call(tenant.url, "POST", "/api/v1/capture-events", { body: { events: [turn, ...calls] }, headers });
  }
}
