import { randomUUID } from "node:crypto";
import { runCommand } from "../../server/admin/commands.ts";
import type { App } from "../../server/app.ts";
import { JOBS } from "../../server/jobs/index.ts";
import { maintainLeases } from "../../server/jobs/leases.ts";
import { connectOauthApp } from "../support/accounts/oauth.ts";
import { requestOidcSignIn, setProvider, signInAt, startProvider } from "../support/accounts/oidc.ts";
import type { MailReceiver } from "../support/accounts/smtp.ts";
import { MUTATION_SAMPLES } from "../support/graphql/mutations.ts";
import { startWorkingSession } from "../support/recording/agent-work.ts";
import { createEvent, createSession } from "../support/recording/ingest.ts";
import { createRecordings, sendRecording } from "../support/recording/recordings.ts";
import { buildSpansRequest } from "../support/recording/telemetry.ts";
import { callRestApi, createOrganization } from "../support/server.ts";
import { createRule, setMailServer as nameMailServer } from "../support/stream/notices.ts";
import { createAgent, moveLeaseTimes } from "../support/tracker/work.ts";
import { createWorkspaceIn, performMutation, performSignedIn, type Workspace } from "../support/workspace.ts";

/** Environment variables of a server that `fill` requires. */
export const FILLABLE = { OAUTH_ALLOW_PRIVATE: "on", LOGIN_THROTTLE: "on", GRAPHQL_REQUESTS_PER_HOUR: "100000" };

/** Fills the tables of a server's database through the APIs, and runs the jobs. */
export async function fill(app: App, mail: MailReceiver): Promise<Workspace> {
  const space = await createWorkspaceIn(await createOrganization(app));
  await everyMutation(space);
  await tracker(space);
  await people(app, space, mail);
  await workedOn(app, space);
  for (const each of createRecordings("kept")) await sendRecording(space, each);
  const unknown = Array.from({ length: 15 }, (_, id) => ({ id: 1 + id, trace: 9, name: `GET /${id}`, at: {} }));
  await sendRecording(space, { path: "/v1/traces", body: buildSpansRequest(unknown) });
  for (const { work } of Object.values(JOBS)) await app.runtime.db.as("upkeep", async () => work(app.runtime));
  return space;
}

/** Runs every GraphQL mutation once. */
async function everyMutation(space: Workspace): Promise<void> {
  for (const [name, sample] of Object.entries(MUTATION_SAMPLES)) {
    const { errors } = await performMutation(space, name, await sample(space));
    if (errors) throw new Error(`${name}: ${JSON.stringify(errors)}`);
  }
}

async function tracker(space: Workspace): Promise<void> {
  const other = (await space.does("teamCreate", { input: { name: "Other", key: "OTH" } }, "team { id }")).team;
  const { id } = await space.issue({ title: "Moved to another team", sessionId: "a-session-to-come" });
  await space.does("issueUpdate", { id, input: { teamId: other.id } });
  const { viewer } = await space.gql("{ viewer { id } }");
  await space.does("projectCreate", {
    input: { name: "With members", teamIds: [space.teamId], memberIds: [viewer.id] },
  });
  await space.does("issueCreate", {
    input: { id: randomUUID(), teamId: space.teamId, title: "With an id of its own" },
  });
  await space.does("issueBatchImport", {
    input: {
      source: "elsewhere",
      rows: [
        {
          issue: {
            externalId: "E-1",
            team: "ENG",
            title: "Imported",
            createdAt: "2026-01-31T00:00:00Z",
            creator: { name: "Zoe", email: "zoe@example.com" },
          },
        },
      ],
    },
  });
  const agent = await createAgent(space);
  await agent.does("issueUpdate", { id, input: { assigneeId: viewer.id } });
  const query = "mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { success } }";
  const body = JSON.stringify({ query, variables: { input: { issueId: id, body: "Sent once" } } });
  const headers = { Authorization: space.apiKey, "Content-Type": "application/json", "Idempotency-Key": "a-key" };
  await fetch(`${space.url}/graphql`, { method: "POST", headers, body });
}

/** Creates accounts, sign-ins of every kind, and emails. */
async function people(app: App, space: Workspace, mail: MailReceiver): Promise<void> {
  await nameMailServer(space, mail);
  await connectOauthApp(space);
  await space.rest("POST", "/api/invitations", { email: "invited@example.com" });
  const provider = await startProvider(app, { subject: "ada", email: "ada@corp.example", name: "Ada" });
  await setProvider(space, provider.issuer);
  await signInAt(provider, space);
  await requestOidcSignIn(space);
  provider.close();
  const email = "left@example.com";
  const post = (path: string, body: object) => callRestApi(space.url, "POST", `/api/auth/${path}`, { body });
  await post("signup", { email, password: "correct horse battery", name: "Left" });
  await post("login", { email, password: "not that one, surely" });
  await runCommand(app.runtime, ["delete-account", email, email]);
  await runCommand(app.runtime, ["create-owner", "owner@example.com", "--organization", "Other"]);
  await post("password-reset", { email: space.email });
}

/**
 * Creates an issue whose agent fell silent, so that another agent completes the issue without a proof, and an issue
 * with an expired lease and a notice email.
 */
async function workedOn(app: App, space: Workspace): Promise<void> {
  await createRule(space, { channel: "email", emails: ["olga@example.com"], condition: "leaseExpired" });
  const left = await space.issue({ title: "Left" });
  await space.does("issueClaim", { input: { id: left.id } });
  await moveLeaseTimes(left.id, 3_600);
  await maintainLeases(app.runtime);
  await space.does("teamUpdate", { id: space.teamId, input: { proof: { commands: ["npm test"] } } });
  const { id } = await space.issue({ title: "Parser drops empty lines" });
  const session = await startWorkingSession(space, "Mend the parser so that it keeps empty lines.");
  await space.does("issueClaim", { input: { id, sessionId: session.id } });
  await session.begins("npm run watch");
  await session.edits("/srv/parcels/src/parser.ts");
  await session.runs("npm test", 1, "AssertionError: expected 2 to equal 3");
  await moveLeaseTimes(id, 86_400);
  const agent = await createAgent(space);
  await agent.does("issueClaim", { input: { id } }, "issue { handover }");
  await agent.does("issueRelease", { id });
  await performSignedIn(space, "issueComplete", { id, overrideProof: true });
}

/** Creates rows that the jobs have not processed when the backup is made. */
export async function underWay(space: Workspace): Promise<void> {
  const send = (path: string, body: object) => sendRecording(space, { path: `/api/v1/${path}`, body });
  const [session_id, deleted] = [randomUUID(), { user_id: "deleted" }];
  await send("capture-session", createSession({ user_data: deleted }));
  await space.does("recordedUserDelete", { id: deleted.user_id });
  await send("capture-event", createEvent({ session_id }));
  await send("capture-session", createSession({ session_id, user_data: deleted }));
  const session = await startWorkingSession(space, "A session that goes on");
  await session.runs("npm test", 1);
  await space.gql(`{ recordedSession(id: "${session.id}") { totals { events } } }`);
}
