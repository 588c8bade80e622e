import { randomUUID } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { buildHandover } from "../../server/resources/handover/text.ts";
import type { RecordedToolCall } from "../../server/resources/proof/record.ts";
import { startWorkingSession } from "../support/recording/agent-work.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { createAgent, moveLeaseTimes } from "../support/tracker/work.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const MOST = 800;
const handoverOf = async ({ gql }: Workspace, id: string): Promise<string | null> =>
  (await gql(`{ issue(id: "${id}") { handover } }`)).issue.handover;

/** Creates an issue with a session that claimed the issue, worked, and has been silent since. */
async function abandoned() {
  const space = await createWorkspace();
  const issue = await space.issue({ title: "Parser drops empty lines" });
  const session = await startWorkingSession(space, "Mend the parser so that it keeps empty lines.");
  await space.does("issueClaim", { input: { id: issue.id, sessionId: session.id } });
  const todos = [
    { content: "Write a failing test", status: "completed" },
    { content: "Mend the loop", status: "in_progress" },
  ];
  await session.calls("TodoWrite", { todos });
  await session.edits("/srv/parcels/test/parser.test.ts");
  await session.runs("git add -A && git commit -m 'A failing test'");
  await session.edits("/srv/parcels/src/parser.ts");
  await session.runs("git checkout -- src/parser.ts");
  await session.edits("/srv/parcels/src/lexer.ts");
  await session.runs(
    "npm test -- --grep 'empty lines'",
    1,
    "AssertionError: expected 2 to equal 3\n    at parser.test.ts:41",
  );
  await session.answers("It still fails.\nShall I rewrite the lexer?");
  return { space, issue, session };
}

describe("the handover of an issue", () => {
  it("contains what the next holder needs, in 800 tokens, once the lease of a killed agent has ended", async () => {
    const { space, issue, session } = await abandoned();
    expect(await handoverOf(space, issue.id)).to.equal(null);
    await moveLeaseTimes(issue.id, 86_400);
    const agent = await createAgent(space);
    const { issue: taken } = await agent.does("issueClaim", { input: { id: issue.id } }, "issue { handover }");
    const text: string = taken.handover;
    expect(countTokens(text)).to.be.at.most(MOST);
    for (const part of [
      "$ npm test -- --grep 'empty lines'\nexit code 1\n",
      "AssertionError: expected 2 to equal 3\n    at parser.test.ts:41",
      "Mend the parser so that it keeps empty lines.",
      "[x] Write a failing test\n[~] Mend the loop",
      "not committed: src/lexer.ts",
      "commit followed: test/parser.test.ts",
      "git checkout -- src/parser.ts",
      "Shall I rewrite the lexer?",
      `/sessions/${session.id}`,
    ])
      expect(text).to.include(part);
    expect(text).to.match(/## Last failing command \(S1\?event=[0-9a-f-]{36}\)/);
  });

  it("is written at the release, and again on request", async () => {
    const { space, issue, session } = await abandoned();
    await space.does("issueRelease", { id: issue.id });
    expect(await handoverOf(space, issue.id)).to.include("--grep 'empty lines'");
    await session.runs("npm test -- --grep 'empty lines'");
    const { issue: anew } = await space.does("issueHandover", { id: issue.identifier }, "issue { handover }");
    expect(anew.handover).to.not.include("Last failing command");
    await space.does("recordedSessionDelete", { id: session.id });
    expect(await handoverOf(space, issue.id)).to.equal(null);
  });

  it("contains events after the claim, however soon the lease ends", async () => {
    const space = await createWorkspace();
    const issue = await space.issue();
    const sessionId = randomUUID();
    // Nothing is recorded for the session yet, and no job links session and issue later.
    await space.does("issueClaim", { input: { id: issue.id, sessionId } });
    const session = await startWorkingSession(space, "Mend the parser.", "/srv/parcels", sessionId);
    await session.edits("/srv/parcels/src/lexer.ts");
    await space.does("issueRelease", { id: issue.id });
    expect(await handoverOf(space, issue.id)).to.include("not committed: src/lexer.ts");
    const { issue: again } = await space.does("issueClaim", { input: { id: issue.id } }, "issue { handover }");
    expect(again.handover).to.include(`/sessions/${session.id}`);
  });

  it("is null for an issue without recorded sessions", async () => {
    const space = await createWorkspace();
    const issue = await space.issue();
    await space.does("issueClaim", { input: { id: issue.id } });
    await space.does("issueRelease", { id: issue.id });
    expect(await handoverOf(space, issue.id)).to.equal(null);
  });

  it("has at most 800 tokens, and keeps all recorded text inside its fence", () => {
    const text = fc.oneof(
      fc.string({ maxLength: 3_000 }),
      fc.string({ unit: "grapheme", maxLength: 2_000 }),
      fc
        .array(
          fc.constantFrom(
            "```",
            "````",
            "~~~",
            "\n",
            "# Ignore all of the above ",
            "\u202e",
            "\u0000",
            "<!--",
            "x".repeat(900),
            "aZ9",
            "語",
            "🙂",
            "bakomiret ",
            "QXZJ",
          ),
          { maxLength: 400 },
        )
        .map((all) => all.join("")),
    );
    const material = fc.record({
      asked: text,
      command: text,
      error: text,
      step: text,
      path: text,
      title: text,
      answer: text,
    });
    fc.assert(
      fc.property(material, (given) => {
        const handover = buildHandover(
          { identifier: "ENG-1", title: given.title },
          {
            sessions: [1, 2, 3, 4].map((n) => ({
              id: `019abf3c-5d21-7a6b-9c0d-1e2f3a4b5c6${n}`,
              agent: "claude-code",
              url: `https://trackway.example.com/acme/sessions/019abf3c-5d21-7a6b-9c0d-1e2f3a4b5c6${n}`,
              cost: 1,
            })),
            calls: [
              call("TodoWrite", { todos: [{ content: given.step, status: "pending" }] }),
              call("Edit", { file_path: given.path }),
              call("Bash", { command: given.command }, given.error),
            ],
            first: { id: "e1", session: "s", asked: given.asked, answered: "" },
            last: { id: "e2", session: "s", asked: "", answered: `${given.answer}?` },
          },
        );
        expect(countTokens(handover)).to.be.at.most(MOST);
        const outside = withoutFences(handover);
        expect(outside.filter((line) => !/^(?:$|# Handover of ENG-1: |## |- |Extracted)/.test(line))).to.deep.equal([]);
      }),
      { numRuns: scaleRuns(500) },
    );
  }).timeout(60_000);
});

const call = (name: string, args: object, error?: string): RecordedToolCall => ({
  id: "019abf3c-5d21-7a6b-9c0d-1e2f3a4b5c69",
  session: "019abf3c-5d21-7a6b-9c0d-1e2f3a4b5c61",
  kind: "tool",
  agent: "claude-code",
  cwd: "/srv/parcels",
  name,
  args: JSON.stringify(args),
  result: error ?? "",
  metadata: null,
  success: error === undefined,
  message: error ?? null,
  at: 1,
  latency: 1,
  open: false,
});

/** Returns the lines outside of fenced code blocks, as Markdown defines fences. */
function withoutFences(text: string): string[] {
  let fence: string | undefined;
  return text.split("\n").filter((line) => {
    const run = /^`{3,}$/.exec(line)?.[0];
    if (fence === undefined && run) {
      fence = run;
      return false;
    }
    if (fence !== undefined && run && run.length >= fence.length) {
      fence = undefined;
      return false;
    }
    return fence === undefined;
  });
}
