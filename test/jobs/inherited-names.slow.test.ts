import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { uuidv7 } from "uuidv7";
import type { App } from "../../server/app.ts";
import { JOBS } from "../../server/jobs/index.ts";
import { runJob } from "../../server/jobs/run.ts";
import { setEarlierSql } from "../support/db/database.ts";
import { INHERITED_NAMES } from "../support/hostile/hostile.ts";
import { startOwnServer } from "../support/own-server.ts";
import { reportCall, sendHook } from "../support/recording/agent-calls.ts";
import { createEvent } from "../support/recording/ingest.ts";
import { postOtlp } from "../support/recording/otlp.ts";
import { buildSpansRequest } from "../support/recording/telemetry.ts";
import { postLines } from "../support/recording/transcripts.ts";
import { callRestApi, createOrganization, logLines, waitUntilFolded } from "../support/server.ts";
import { createAgent } from "../support/tracker/work.ts";
import { createWorkspaceIn, type Workspace } from "../support/workspace.ts";

/**
 * Records a name in every field that stores names, through every kind of ingestion. Resolves to the session recorded
 * by hooks.
 */
async function recordName(space: Workspace, name: string): Promise<string> {
  const headers = { "x-api-key": space.ingestKey };
  const post = (path: string, body: object) => callRestApi(space.url, "POST", `/api/v1/${path}`, { body, headers });
  const user_data = { user_id: name, [name]: name };
  const metadata = { [name]: name, "gen_ai.request.model": name, "gen_ai.usage.input_tokens": 3 };
  const session_id = uuidv7();
  const body = JSON.parse(`{"${name}": 1}`);
  await post("capture-session", { session_id, user_data, metadata: { ...body, ...metadata } });
  for (const primitive_type of ["tool", name, undefined])
    for (const success of [true, false])
      await post(
        "capture-event",
        createEvent({
          session_id,
          primitive_name: name,
          primitive_type,
          success,
          metadata,
          args: `[redacted:${name}]`,
          result: name,
        }),
      );
  const attributes = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
    "gen_ai.request.model": name,
    [name]: name,
  };
  const sent = { url: space.url, key: space.ingestKey };
  await postOtlp(sent, "/v1/traces", Buffer.from(JSON.stringify(buildSpansRequest([{ id: 1, name, at: attributes }]))));
  const hooked = randomUUID();
  await sendHook(space, { session_id: hooked, hook_event_name: "UserPromptSubmit", prompt: name, prompt_id: hooked });
  await reportCall(space, hooked, {
    tool: name,
    input: { ...body, file_path: name, command: name },
    response: { ...body },
  });
  await reportCall(space, hooked, {
    tool: "TodoWrite",
    input: { todos: [{ content: name, status: name }] },
    response: {},
  });
  await reportCall(space, hooked, { tool: "Bash", input: { command: `${name} ${name}` }, response: { stdout: name } });
  const line = { type: "assistant", uuid: randomUUID(), sessionId: randomUUID(), timestamp: new Date().toISOString() };
  const message = { role: "assistant", model: name, content: [{ type: "tool_use", id: name, name, input: body }] };
  await postLines(
    space,
    "claude-code",
    [
      { ...line, message },
      { ...line, type: name },
    ].map((each) => JSON.stringify(each)),
  );
  return hooked;
}

describe("names of inherited object properties", () => {
  let app: App;
  let end: () => Promise<void>;
  before(async () => {
    ({ app, end } = await startOwnServer());
  });
  after(() => end());

  for (const name of INHERITED_NAMES)
    it(`break no job and no page as the name of a tool, a model, a user and a field: ${name}`, async () => {
      const { db } = app.runtime;
      const space = await createWorkspaceIn(await createOrganization(app));
      const session = await recordName(space, name);
      await waitUntilFolded(app.runtime, space.organizationId);
      const { id } = await space.issue();
      await (await createAgent(space)).claim({ id, sessionId: session });
      await db.query({
        text: `update "issueLease" set ${setEarlierSql(["grantedAt", "renewedAt"], "interval '2 days'")},
          "expiresAt" = now() - interval '1 day', "checkAt" = now(), "lookedAt" = now(), signs = 1000, events = 1000 where id = $1`,
        values: [id],
      });
      const later = await createWorkspaceIn(await createOrganization(app));
      const headers = { "x-api-key": later.ingestKey };
      await callRestApi(later.url, "POST", "/api/v1/capture-event", { body: createEvent(), headers });

      const failed: string[] = [];
      for (const [job, each] of Object.entries(JOBS)) if (!(await runJob(app.runtime, job, each))) failed.push(job);
      expect(failed).to.deep.equal([]);
      expect((await space.gql(`{ issue(id: "${id}") { lease { fence } } }`)).issue.lease).to.equal(null);
      const due =
        "select count(*)::integer as left from recorded_session where organization_id = any($1) and unread_from is not null";
      const values = [[space.organizationId, later.organizationId]];
      expect(await db.query({ text: due, values })).to.deep.equal([{ left: 0 }]);
      await space.does("issueHandover", { id }, "issue { handover }");
      const { recordedSessions } = await space.gql(
        "{ recordedSessions(first: 10) { nodes { id totals { models } events(first: 50) { nodes { primitiveName } } } } }",
      );
      expect(JSON.stringify(recordedSessions)).to.include(`"${name}"`);
      expect(logLines.filter((line) => line.includes('"level":50'))).to.deep.equal([]);
    });
});
