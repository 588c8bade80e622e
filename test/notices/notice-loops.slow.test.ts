import { expect } from "chai";
import { updateLoopingSessions } from "../../server/jobs/loops.ts";
import { closeMailReceivers, type MailReceiver, startMailReceiver } from "../support/accounts/smtp.ts";
import { setEarlierSql } from "../support/db/database.ts";
import { startSharedServer } from "../support/server.ts";
import {
  createRule,
  createTurnReporter,
  evaluateRulesNow,
  moveRuleTimes,
  setMailServer,
} from "../support/stream/notices.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const MINUTE = 60_000;

describe("a notice rule about stuck or looping sessions", () => {
  let space: Workspace;
  let mail: MailReceiver;
  let rule: string;
  beforeEach(async () => {
    space = await createWorkspace();
    mail = await startMailReceiver();
    await setMailServer(space, mail);
    const watched = { condition: "sessionState", sessionStates: ["stuck", "looping"] };
    rule = await createRule(space, { name: "Stopped", channel: "email", emails: ["olga@example.com"], ...watched });
  });
  after(closeMailReceivers);

  const looks = async () => {
    // A read makes the server fold the latest reports.
    await space.gql("{ recordedSessions { nodes { id } } }");
    await updateLoopingSessions((await startSharedServer()).runtime.db);
    await evaluateRulesNow(space);
  };
  /** Moves the last reports of all sessions and the start of the rule `minutes` into the past. */
  const silentFor = async (minutes: number) => {
    await looks();
    const { db } = (await startSharedServer()).runtime;
    const { organization } = await space.gql("{ organization { id } }");
    const back = (column: string) => setEarlierSql([column], `interval '${minutes} minutes'`);
    await db.query({
      text: `update recorded_session set ${back("last_received_at")} where organization_id = $1`,
      values: [organization.id],
    });
    await db.query({
      text: `update "noticeRule" set ${back("watchedFrom")} where id = $1`,
      values: [rule],
    });
  };
  const subjects = () => mail.mails.map(({ headers }) => headers["subject"]);
  /** Records a session that repeats the same call, with the given results. */
  const calls = async (answers: readonly string[]) => {
    const turn = createTurnReporter(space);
    await turn.says("UserPromptSubmit", { prompt: "Watch the build" });
    for (const [n, stdout] of answers.entries()) {
      const call = { tool_name: "Bash", tool_use_id: `toolu_${n}`, tool_input: { command: "gh run view" } };
      await turn.says("PreToolUse", call);
      await turn.says("PostToolUse", { ...call, tool_response: { stdout } });
    }
    return turn;
  };

  it("sends an email about a session that repeats itself, and none about a session that polls", async () => {
    await calls(Array.from({ length: 12 }, (_, n) => `${n} of 40 done`));
    await looks();
    await calls(Array.from({ length: 12 }, () => "failed"));
    await looks();
    await mail.until((all) => all.length > 0);
    await moveRuleTimes(rule, MINUTE);
    await looks();
    expect(subjects()).to.deep.equal(["[Trackway] Stopped: A session of claude-code repeats the same calls"]);
  });

  it("sends an email once a session is silent for ten minutes amid a turn, and another when it continues", async () => {
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
    await moveRuleTimes(rule, MINUTE);
    await turn.says("Stop", { last_assistant_message: "Done." });
    await looks();
    await mail.until((all) => all.length > 1);
    expect(subjects()).to.deep.equal([
      "[Trackway] Stopped: A session of claude-code is stuck",
      "[Trackway] Stopped: Resolved: A session of claude-code is stuck",
    ]);
  });
});
