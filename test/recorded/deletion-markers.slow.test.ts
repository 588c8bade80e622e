import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { updateHourAndGroupCounts } from "../../server/jobs/analytics.ts";
import { removeDeletedRecordings } from "../../server/jobs/deletion.ts";
import { processNewEvents } from "../../server/jobs/mentions/new-events.ts";
import { findTablesWith } from "../support/db/tables-with.ts";
import { buildListCases } from "../support/graphql/documents.ts";
import { createMarkedRecordings, type PlantedTexts } from "../support/recording/markers.ts";
import { sendRecording } from "../support/recording/recordings.ts";
import { logLines, startSharedServer, waitUntilFolded } from "../support/server.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const word = () => `zq${randomUUID().replaceAll("-", "").slice(0, 10)}`;

/** Returns the markers that any table contains. */
async function stored(text: string): Promise<Set<string>> {
  const { db } = (await startSharedServer()).runtime;
  const found = new Set<string>();
  for (const table of await findTablesWith(text)) {
    const query = `select distinct m[1] as marker from "${table}" r, regexp_matches(r::text, $1, 'g') m`;
    const rows = await db.query<{ marker: string }>({ text: query, values: [`(${text}[0-9a-z]+?z)`] });
    for (const { marker } of rows) found.add(marker);
  }
  return found;
}

/**
 * Lists the tables with a text. Leaves out the names of services with unrecognized telemetry, which belong to no
 * session.
 */
const leftWith = async (text: string) => (await findTablesWith(text)).filter((table) => table !== "recorded_service");

/** Sends all requests. Returns the markers in the requests of each source. */
async function send(space: Workspace, planted: PlantedTexts): Promise<Map<string, string[]>> {
  const markers = new Map<string, string[]>();
  for (const each of createMarkedRecordings(planted)) {
    await sendRecording(space, each);
    const own = JSON.stringify(each.body).match(new RegExp(`${planted.text}[0-9a-z]+?z`, "g")) ?? [];
    expect(own.length, each.path).to.equal(each.markers);
    markers.set(each.source, [...(markers.get(each.source) ?? []), ...own]);
  }
  return markers;
}

/** Returns the lists of the schema whose response contains one of some texts. */
async function answersWith({ gql }: Workspace, texts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const { name, node, query } of buildListCases()) {
    if (node === "RecordedService") continue;
    const answer = JSON.stringify(await gql(query));
    if (texts.some((text) => answer.includes(text))) found.push(name);
  }
  return found;
}

/** Lists of recorded data, including searches and counts. */
const LISTS = [
  "recordedSessions",
  "recordedSessions > events",
  "recordedUsers",
  "recordedSearch > nodes",
  "recordedToolStats > tools",
  "recordedUsage > groups",
  "recordedFailureGroups",
];

async function upkeep({ organizationId }: Workspace): Promise<void> {
  const { runtime } = await startSharedServer();
  await waitUntilFolded(runtime, organizationId);
  await processNewEvents(runtime.db);
  await updateHourAndGroupCounts(runtime);
  await removeDeletedRecordings(runtime);
}

/** Deletes every second session, then the users, and then the remaining sessions. */
async function deleteAll({ gql, does }: Workspace): Promise<void> {
  const sessions = async (): Promise<string[]> => {
    const { recordedSessions } = await gql("{ recordedSessions(first: 100) { nodes { id } } }");
    return recordedSessions.nodes.map(({ id }: { id: string }) => id);
  };
  const all = await sessions();
  expect(all.length).to.be.within(10, 99);
  const { recordedUsers } = await gql("{ recordedUsers(first: 100) { nodes { id } } }");
  expect(recordedUsers.nodes).not.to.deep.equal([]);
  for (const id of all.filter((_, at) => at % 2 === 0)) await does("recordedSessionDelete", { id }, "complete");
  const { recordedUsers: left } = await gql("{ recordedUsers(first: 100) { nodes { id } } }");
  for (const { id } of left.nodes) await does("recordedUserDelete", { id }, "complete");
  await does("recordedSessionsDelete", { ids: await sessions() }, "complete");
}

/** Minimum number of markers of each source that must be stored, so that the test of their deletion is meaningful. */
const LEAST: Record<string, number> = {
  capture: 34,
  "hooks claude-code": 400,
  "hooks codex": 70,
  "hooks gemini-cli": 70,
  "hooks opencode": 30,
  "hooks qwen-code": 120,
  "telemetry logs": 350,
  "telemetry traces": 300,
  "SDK braintrust": 80,
  "SDK langfuse": 40,
  "SDK langsmith": 55,
  "SDK openai-agents": 65,
  "transcript claude-code": 20,
  "transcript codex": 14,
  "transcript gemini-cli": 16,
  "transcript github-copilot": 20,
  "transcript pi": 14,
  "transcript qwen-code": 16,
};

const TABLES = ["event", "failure_group", "observation", "session", "tool_hour", "user"].map(
  (name) => `recorded_${name}`,
);

describe("deleting users and sessions", () => {
  it("removes the marker of every text of every interface from responses and tables, and rejects late reports", async () => {
    const space = await createWorkspace();
    const [text, late, ids, run] = [word(), word(), word(), randomUUID()];
    const sent = await send(space, { text, ids, run });
    await upkeep(space);
    const found = await stored(text);
    for (const [source, own] of sent)
      expect(own.filter((each) => found.has(each)).length, source).to.be.at.least(LEAST[source] ?? Infinity);
    expect(await findTablesWith(text)).to.include.members(TABLES);
    expect(await answersWith(space, [text])).to.include.members(LISTS);
    await deleteAll(space);
    expect(await answersWith(space, [text, ids])).to.deep.equal([]);
    await upkeep(space);
    expect([await leftWith(text), await leftWith(ids)]).to.deep.equal([[], []]);
    await send(space, { text: late, ids, run });
    await upkeep(space);
    expect([await leftWith(late), await leftWith(ids)]).to.deep.equal([[], []]);
    const lines = logLines.filter((line) => [text, late, ids].some((each) => line.includes(each)));
    expect(lines).to.deep.equal([]);
  });
});
