import { createHash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect } from "chai";
import fc from "fast-check";
import { updateHourAndGroupCounts } from "../../../server/jobs/analytics.ts";
import { extractMessage } from "../../../server/resources/recorded/failures/message.ts";
import { AGENT_WORDINGS, PROGRAM_WORDINGS } from "../../../server/resources/recorded/failures/wording.ts";
import { scaleRuns } from "../../support/run/runs.ts";
import { callRestApi, startSharedServer } from "../../support/server.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

interface Judged {
  tool: string;
  text: string;
  message: string[];
  label: string;
}

const JUDGED: Judged[] = JSON.parse(readFileSync("test/fixtures/failures/judged.json", "utf8"));

/** Selects half of the causes as the held-out set, by the hash of the label. */
const isHeldOut = ({ label }: Judged): boolean =>
  Number.parseInt(createHash("sha1").update(label).digest("hex").slice(0, 8), 16) % 2 === 0;

/** Computes the F1 score of groups against labels, over all pairs of failures of one tool. */
function f1(judged: readonly Judged[], groups: readonly string[]): number {
  const pairs = { both: 0, grouped: 0, labelled: 0 };
  for (const [index, one] of judged.entries()) {
    for (const [before, other] of judged.slice(0, index).entries()) {
      if (one.tool !== other.tool) continue;
      const isGrouped = groups[index] === groups[before];
      if (isGrouped) pairs.grouped += 1;
      if (one.label === other.label) pairs.labelled += 1;
      if (isGrouped && one.label === other.label) pairs.both += 1;
    }
  }
  return (2 * pairs.both) / (pairs.grouped + pairs.labelled);
}

/** Tells whether a message is right: it begins with a phrase of the judge, after at most a location or a level. */
const isRight = ({ message }: Judged, said: string): boolean =>
  message.some((phrase) => {
    const at = said.indexOf(phrase.replaceAll(/\s+/g, " ").slice(0, 200));
    return at >= 0 && at <= 40;
  });

/** Records failures through capture-events. Returns what the API reports for each. */
async function recorded({ url, ingestKey, gql }: Workspace, failures: readonly Pick<Judged, "tool" | "text">[]) {
  const session_id = randomUUID();
  const events = failures.map(({ tool, text }, n) => ({
    event_id: randomUUID(),
    session_id,
    primitive_name: tool,
    primitive_type: "tool",
    args: "{}",
    result: text,
    success: false,
    timestamp: Date.now() - 60_000 + n,
  }));
  const headers = { "x-api-key": ingestKey };
  expect((await callRestApi(url, "POST", "/api/v1/capture-events", { body: { events }, headers })).status).to.equal(
    202,
  );
  const found = new Map<string, { errorMessage: string; failureGroupId: string; failureTitle: string }>();
  for (let after: string | null = null; found.size < events.length; ) {
    const page: any = await gql(
      `query ($id: String!, $after: String) { recordedSession(id: $id) { events(first: 250, after: $after) {
        nodes { id errorMessage failureGroupId failureTitle } pageInfo { endCursor } } } }`,
      { id: session_id, after },
    );
    for (const { id, ...rest } of page.recordedSession.events.nodes) found.set(id, rest);
    after = page.recordedSession.events.pageInfo.endCursor;
  }
  return events.map(({ event_id }) => ({ id: event_id, ...found.get(event_id) })) as {
    id: string;
    errorMessage: string;
    failureGroupId: string;
    failureTitle: string;
  }[];
}

async function count(): Promise<void> {
  const { runtime } = await startSharedServer();
  await updateHourAndGroupCounts(runtime);
}

const FILE = `mutation ($input: IssueCreateFromFailureInput!) {
  issueCreateFromFailure(input: $input) { status issue { id title } } }`;

describe("the message of a failure group", () => {
  it("matches human judgement, and a group has one cause, in the training half and in the held-out half", async () => {
    const read = await recorded(await createWorkspace(), JUDGED);
    for (const half of [false, true]) {
      const own = JUDGED.flatMap((one, index) => (isHeldOut(one) === half ? [{ one, found: read[index] }] : []));
      const judged = own.map(({ one }) => one);
      expect(judged.length).to.be.greaterThan(150);
      const groups = own.map(({ found }) => found?.failureGroupId ?? "");
      const wrong = own.filter(({ one, found }) => !isRight(one, found?.errorMessage ?? ""));
      const named = half ? "held out" : "tuned";
      expect(f1(judged, groups), `F1, ${named}`).to.be.at.least(0.9);
      expect(1 - wrong.length / judged.length, `right messages, ${named}`).to.be.at.least(0.9);
      // The control: grouping the same failures by their first lines gives a bad score.
      const byFirstLine = judged.map(({ text }) => text.trim().split("\n", 1)[0]?.replaceAll(/\d+/g, "n") ?? "");
      expect(f1(judged, byFirstLine)).to.be.below(0.3);
    }
  });

  it("is one short line without control characters, for any text", () => {
    const pieces = [AGENT_WORDINGS, PROGRAM_WORDINGS].flatMap((table) =>
      Object.values(table).flatMap((each) =>
        Object.values(each)
          .flat()
          .map(({ source }) => source.replaceAll(/[\\^$?*+]/g, "")),
      ),
    );
    const piece = fc.oneof(
      fc.constantFrom(...pieces, ...JUDGED.map(({ text }) => text)),
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.constantFrom(
        "\u001b[31m",
        "\u202e",
        "\0",
        '{"error":',
        '[{"text":"',
        '"}',
        "\\u001b[1m",
        "  at f (a.js:1:2)",
        "^~~",
        "/./",
        "'",
      ),
    );
    const hostile = fc.array(fc.tuple(piece, fc.constantFrom("", " ", "\n", "\r"), fc.constantFrom(1, 1, 2, 300)), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(hostile, (drawn) => {
        const text = drawn
          .map(([one, end, times]) => `${one}${end}`.repeat(times))
          .join("")
          .slice(0, 256 * 1024);
        const message = extractMessage(text);
        expect(message.length).to.be.at.most(300);
        expect(message).to.not.match(/[\p{Cc}\p{Cf}\p{Cs}]/u);
      }),
      { numRuns: scaleRuns(20) },
    );
  });

  it("is the title of its issue from an event and from a group, without escapes, JSON and bidi controls", async () => {
    const cases: [tool: string, text: string, title: string][] = [
      [
        "mcp__payments__refund",
        '{"error":{"type":"permission_denied","message":"scope refunds:write missing"}}',
        "mcp__payments__refund: scope refunds:write missing",
      ],
      [
        "Bash",
        "Exit code 1\n\u001b[31mFAIL\u001b[39m a.test.ts\n\u001b[1mTypeError\u001b[22m: x is not a function",
        "Bash: TypeError: x is not a function",
      ],
      ["Ba\u202esh", "one \u2066two\u2069 \\u001b[31mthree\\u001b[0m", "Bash: one two three"],
      ["Read", '[{"type":"text","text":"{\\"detail\\":\\"no such page\\"}"}]', "Read: no such page"],
      ["Read", '{"code":7,"ok":false,"at":{"line":3}}', "Read: code:7, ok:false, at: line:3"],
      ["Glob", "[{}]", "Glob: failed"],
      ["Read", "", "Read: failed"],
      ["Read", "x".repeat(200), `Read: ${"x".repeat(120)}…`],
    ];
    const space = await createWorkspace();
    const read = await recorded(
      space,
      cases.map(([tool, text]) => ({ tool, text })),
    );
    await count();
    for (const [index, [, , title]] of cases.entries()) {
      const { id, failureGroupId, failureTitle } = read[index] ?? expect.fail();
      expect(failureTitle).to.equal(title);
      const input = index % 2 ? { eventId: id } : { failureGroupId };
      const { issueCreateFromFailure: filed } = await space.gql(FILE, { input: { teamId: space.teamId, ...input } });
      expect(filed).to.deep.include({ status: "created" });
      expect(filed.issue.title).to.equal(title);
    }
  });
});
