import { expect } from "chai";
import { findLoops } from "../../server/jobs/loops.ts";
import { closeMailReceivers, type MailReceiver, startMailReceiver } from "../support/accounts/smtp.ts";
import { sharedServer } from "../support/server.ts";
import { lookNow, makeRule, passes, turnOf, useMailServer } from "../support/stream/notices.ts";
import { freshWorkspace, type Workspace } from "../support/workspace.ts";

const MINUTE = 60_000;

describe("a notice rule about sessions that do not get on", () => {
  let space: Workspace;
  let mail: MailReceiver;
  let rule: string;
  beforeEach(async () => {
    space = await freshWorkspace();
    mail = await startMailReceiver();
    await useMailServer(space, mail);
    const watched = { condition: "sessionState", sessionStates: ["stuck", "looping"] };
    rule = await makeRule(space, { name: "Stopped", channel: "email", emails: ["olga@example.com"], ...watched });
  });
  after(closeMailReceivers);

  const looks = async () => {
    // A read folds what was just reported.
    await space.gql("{ recordedSessions { nodes { id } } }");
    await findLoops((await sharedServer()).runtime.db);
    await lookNow(space);
  };
  /** Nothing came of the sessions for so many minutes; the rule is older. */
  const silentFor = async (minutes: number) => {
    await looks();
    const { db } = (await sharedServer()).runtime;
    const { organization } = await space.gql("{ organization { id } }");
    const earlier = (column: string, interval: string) => `${column} = ${column} - interval '${interval}'`;
    await db.query({
      text: `update recorded_session set ${earlier("last_received_at", `${minutes} minutes`)} where organization_id = $1`,
      values: [organization.id],
    });
    await db.query({
      text: `update "noticeRule" set ${earlier('"watchedFrom"', `${minutes} minutes`)} where id = $1`,
      values: [rule],
    });
  };
  const subjects = () => mail.mails.map(({ headers }) => headers["subject"]);
  /** A session that makes the same call again and again, with an answer for each. */
  const calls = async (answers: readonly string[]) => {
    const turn = turnOf(space);
    await turn.says("UserPromptSubmit", { prompt: "Watch the build" });
    for (const [n, stdout] of answers.entries()) {
      const call = { tool_name: "Bash", tool_use_id: `toolu_${n}`, tool_input: { command: "gh run view" } };
      await turn.says("PreToolUse", call);
      await turn.says("PostToolUse", { ...call, tool_response: { stdout } });
    }
    return turn;
  };

  it("mails that one repeats itself, and not of one that polls", async () => {
    await calls(Array.from({ length: 12 }, (_, n) => `${n} of 40 done`));
    await looks();
    await calls(Array.from({ length: 12 }, () => "failed"));
    await looks();
    await mail.until((all) => all.length > 0);
    await passes(rule, MINUTE);
    await looks();
    expect(subjects()).to.deep.equal(["[Trackway] Stopped: A session of claude-code repeats itself"]);
  });

  it("mails that one is stuck once nothing came for ten minutes amid a turn, and that it goes on", async () => {
    const turn = await calls(["started"]);
    const ended = await calls(["started"]);
    await ended.says("Stop", { last_assistant_message: "Done." });
    await silentFor(9);
    await looks();
    expect(subjects()).to.deep.equal([]);
    await silentFor(2);
    await looks();
    const [first] = await mail.until((all) => all.length > 0);
    expect(first?.text).to.contain(`/sessions/${turn.session}`);
    await passes(rule, MINUTE);
    await turn.says("Stop", { last_assistant_message: "Done." });
    await looks();
    await mail.until((all) => all.length > 1);
    expect(subjects()).to.deep.equal([
      "[Trackway] Stopped: A session of claude-code is stuck",
      "[Trackway] Stopped: Over: A session of claude-code is stuck",
    ]);
  });
});
