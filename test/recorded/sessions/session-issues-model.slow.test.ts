import { randomUUID } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import { linkIssuesToArrivedSessions } from "../../../server/jobs/mentions/arrived.ts";
import { processNewEvents } from "../../../server/jobs/mentions/new-events.ts";
import { rollUpTotals } from "../../../server/jobs/totals.ts";
import { setEarlierSql } from "../../support/db/database.ts";
import { postHook } from "../../support/recording/observed-sessions.ts";
import { scaleRuns } from "../../support/run/runs.ts";
import { callRestApi, startSharedServer, waitUntilFolded } from "../../support/server.ts";
import { createAgent, type TestAgent } from "../../support/tracker/work.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

const SESSIONS = 4;
const ISSUES = 5;

/** Step on a session, by number, with the issue that the step mentions. */
type Step = readonly [what: keyof typeof STEPS, session: number, issue: number];

/** Sessions that record through capture-* (even numbers) or hooks with the agents' ids (odd numbers). */
interface World {
  space: Workspace;
  agent: TestAgent;
  names: readonly string[];
  /** Expected links of each session, as "ENG-1 mentioned". */
  links: readonly Set<string>[];
  /** Calls that have started and not ended, by session. */
  open: (string | undefined)[];
}

const send = async ({ space }: World, path: string, body: object) => {
  const headers = { "x-api-key": space.ingestKey };
  expect((await callRestApi(space.url, "POST", `/api/v1/${path}`, { body, headers })).status).to.be.lessThan(300);
};
const hook = async ({ space, names }: World, session: number, body: object) =>
  expect((await postHook(space, "claude-code", { session_id: names[session], ...body })).status).to.be.lessThan(300);

async function say(world: World, session: number, issue: number): Promise<void> {
  const prompt = `Do ENG-${issue}.`;
  if (session % 2 === 1)
    await hook(world, session, { hook_event_name: "UserPromptSubmit", prompt_id: randomUUID(), prompt });
  else await capture(world, session, { primitive_type: "agent", args: prompt });
}

const capture = (world: World, session: number, event: object) =>
  send(world, "capture-events", {
    events: [{ event_id: randomUUID(), session_id: world.names[session], primitive_name: "a", result: "", ...event }],
  });

const call_ = (id: string) => ({ tool_use_id: id, tool_name: "Bash", tool_input: { command: "git commit -m Done" } });

/** Each step, and the links that the step adds. */
const STEPS = {
  async prompt(world: World, session: number, issue: number) {
    await say(world, session, issue);
    world.links[session]?.add(`ENG-${issue} mentioned`);
  },
  /** Reports an event that happened long before the known events. */
  async "late prompt"(world: World, session: number, issue: number) {
    if (session % 2 === 1) return;
    const timestamp = Date.now() - 40 * 86_400_000;
    await capture(world, session, { primitive_type: "agent", args: `Do eng-${issue}`, timestamp });
    world.links[session]?.add(`ENG-${issue} mentioned`);
  },
  async branch(world: World, session: number, issue: number) {
    if (session % 2 === 1) return;
    // Each value has a key of its own, because a value that is replaced before a search is never found.
    const metadata = { [`branch ${issue}`]: `eng-${issue}-fix` };
    await send(world, "capture-session", { session_id: world.names[session], user_data: { user_id: "u" }, metadata });
    world.links[session]?.add(`ENG-${issue} mentioned`);
  },
  /** Starts a commit. The result mentions the issue and arrives in a later step. */
  async begin(world: World, session: number) {
    if (session % 2 === 0) return;
    const id = randomUUID();
    world.open[session] = id;
    await hook(world, session, { hook_event_name: "PreToolUse", ...call_(id) });
  },
  async end(world: World, session: number, issue: number) {
    const id = world.open[session];
    if (id === undefined) return;
    world.open[session] = undefined;
    const tool_response = { stdout: `[eng-${issue}-fix 1a2b3c4] Done` };
    await hook(world, session, { hook_event_name: "PostToolUse", ...call_(id), tool_response });
    world.links[session]?.add(`ENG-${issue} mentioned`);
  },
  async file(world: World, session: number) {
    const { identifier } = await world.space.issue({ sessionId: world.names[session] });
    world.links[session]?.add(`${identifier} filed`);
  },
  async claim(world: World, session: number, issue: number) {
    const { identifier } = await world.space.issue();
    const name = String(world.names[session]);
    await world.agent.claim({
      id: identifier,
      sessionId: issue % 2 === 1 && session % 2 === 0 ? name.toUpperCase() : name,
    });
    world.links[session]?.add(`${identifier} claimed`);
  },
  async "name while it is looked through"(world: World, session: number, issue: number) {
    const { db } = (await startSharedServer()).runtime;
    await Promise.all([
      STEPS.prompt(world, session, issue),
      processNewEvents(db),
      rollUpTotals(db),
      processNewEvents(db),
    ]);
  },
  async "claim while it begins"(world: World, session: number, issue: number) {
    const { db } = (await startSharedServer()).runtime;
    await Promise.all([
      STEPS.claim(world, session, issue),
      STEPS.prompt(world, session, issue),
      processNewEvents(db),
      linkIssuesToArrivedSessions(db),
    ]);
  },
  async look() {
    await processNewEvents((await startSharedServer()).runtime.db);
  },
  async arrive() {
    await linkIssuesToArrivedSessions((await startSharedServer()).runtime.db);
  },
  async "roll up"() {
    await rollUpTotals((await startSharedServer()).runtime.db);
  },
  /** Moves events and claims an hour into the past, and runs the jobs that each server runs every five seconds. */
  async "an hour goes by"({ space }: World) {
    const { runtime } = await startSharedServer();
    await waitUntilFolded(runtime, space.organizationId);
    const { db } = runtime;
    await linkIssuesToArrivedSessions(db);
    const values = [space.organizationId];
    for (const [table, tenant, columns] of [
      ["recorded_event", "organization_id", ["received_at"]],
      ["recorded_session", "organization_id", ["received_at", "last_received_at"]],
      ["awaitedSession", "organizationId", ["createdAt"]],
    ] as const) {
      await db.query({
        text: `update "${table}" set ${setEarlierSql(columns, "interval '1 hour'")} where "${tenant}" = $1`,
        values,
      });
    }
  },
} satisfies Record<string, (world: World, session: number, issue: number) => Promise<void>>;

async function freshWorld(): Promise<World> {
  const space = await createWorkspace();
  for (let n = 0; n < ISSUES; n += 1) await space.issue();
  return {
    space,
    agent: await createAgent(space),
    names: Array.from({ length: SESSIONS }, (_, n) => (n % 2 === 1 ? `conversation-${randomUUID()}` : randomUUID())),
    links: Array.from({ length: SESSIONS }, () => new Set<string>()),
    open: [],
  };
}

/** Reads the stored links of a session, including duplicates; undefined if nothing of the session is recorded. */
async function linksOf({ space, names }: World, session: number): Promise<string[] | undefined> {
  const { db } = (await startSharedServer()).runtime;
  const [row] = await db.query<{ id: string }>({
    text: "select session_id as id from recorded_session where organization_id = $1 and (external_id = $2 or session_id::text = $2)",
    values: [space.organizationId, names[session]],
  });
  if (!row) return undefined;
  const query = `query ($id: String!) { recordedSession(id: $id) { issueLinks(first: 100) { nodes { kinds issue { identifier } } } } }`;
  const { recordedSession } = await space.gql(query, row);
  const links: { kinds: string[]; issue: { identifier: string } }[] = recordedSession.issueLinks.nodes;
  return links.flatMap(({ kinds, issue }) => kinds.map((kind) => `${issue.identifier} ${kind}`)).sort();
}

const step: fc.Arbitrary<Step> = fc.tuple(
  fc.constantFrom(...(Object.keys(STEPS) as (keyof typeof STEPS)[])),
  fc.nat(SESSIONS - 1),
  fc.integer({ min: 1, max: ISSUES }),
);

/** Steps that found a defect before: metadata, or the result of a call, arrived after the session was searched. */
const KNOWN: [Step[]][] = [
  [
    [
      ["prompt", 0, 1],
      ["look", 0, 1],
      ["branch", 0, 2],
    ],
  ],
  [
    [
      ["begin", 1, 1],
      ["look", 1, 1],
      ["an hour goes by", 1, 1],
      ["look", 1, 1],
      ["end", 1, 3],
    ],
  ],
];

describe("issues of sessions, for events in any order", () => {
  it("are linked exactly if the session mentioned, claimed or filed the issue (property)", async () => {
    const { runtime } = await startSharedServer();
    const { db } = runtime;
    const property = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const world = await freshWorld();
      for (const [what, session, issue] of steps) await STEPS[what](world, session, issue);
      await waitUntilFolded(runtime, world.space.organizationId);
      await processNewEvents(db);
      await linkIssuesToArrivedSessions(db);
      for (const [session, links] of world.links.entries()) {
        const found = await linksOf(world, session);
        if (found) expect(found).to.deep.equal([...links].sort());
      }
    });
    await fc.assert(property, { numRuns: scaleRuns(6), endOnFailure: true, examples: KNOWN });
  });
});
