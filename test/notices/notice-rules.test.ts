import { expect } from "chai";
import { Webhook } from "standardwebhooks";
import { updateHourAndGroupCounts } from "../../server/jobs/analytics.ts";
import { maintainLeases } from "../../server/jobs/leases.ts";
import { processNewEvents } from "../../server/jobs/mentions/new-events.ts";
import { closeMailReceivers, type MailReceiver, startMailReceiver } from "../support/accounts/smtp.ts";
import { inviteGuest } from "../support/members.ts";
import { createEvent } from "../support/recording/ingest.ts";
import { callRestApi, closeOwnServers, startSharedServer } from "../support/server.ts";
import {
  createRule,
  createTurnReporter,
  evaluateRulesNow,
  moveRuleTimes,
  readRuleDeliveries,
  SIGNING_SECRET,
  setMailServer,
} from "../support/stream/notices.ts";
import { closeReceivers, startReceiver } from "../support/stream/receiver.ts";
import { moveLeaseTimes } from "../support/tracker/work.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const HOUR = 60 * 60_000;
const completed = { condition: "issueState", issueStateTypes: ["completed"] };
const signed = (url: string) => ({ channel: "webhook", url, secret: SIGNING_SECRET });

describe("notice rules", () => {
  let space: Workspace;
  let mail: MailReceiver;
  beforeEach(async () => {
    space = await createWorkspace();
    mail = await startMailReceiver();
    await setMailServer(space, mail);
  });
  after(async () => {
    closeReceivers();
    await closeMailReceivers();
    await closeOwnServers();
  });

  const mailed = { channel: "email", emails: ["olga@example.com"] };
  const move = (id: string, state: string) =>
    space.does("issueUpdate", { id, input: { stateId: space.states[state] } });
  const subjects = () => mail.mails.map(({ headers }) => headers["subject"]);

  it("email that a session waits for permission, without its content", async () => {
    await createRule(space, {
      ...mailed,
      name: "Asks",
      condition: "sessionState",
      sessionStates: ["waitingForPermission"],
    });
    const turn = createTurnReporter(space);
    await turn.asks("cat /srv/secret-plan");
    const [first] = await mail.until((all) => all.length > 0);
    expect(first?.headers["subject"]).to.equal("[Trackway] Asks: A session of claude-code is waiting for permission");
    expect(first?.to).to.deep.equal(["olga@example.com"]);
    expect(first?.text).to.contain("/sessions/");
    expect(first?.raw).to.not.contain("secret-plan");
  });

  it("email the question if configured, quoted and truncated, and later that it is resolved", async () => {
    const rule = { condition: "sessionState", sessionStates: ["waitingForPermission"], includeText: true };
    const id = await createRule(space, { ...mailed, ...rule });
    const turn = createTurnReporter(space);
    const asked = `echo "<script>"\nSubject: x\n${"y".repeat(5_000)}`;
    await turn.asks(asked);
    const [first] = await mail.until((all) => all.length > 0);
    expect(first?.text)
      .to.contain('> echo "<script>"')
      .and.not.match(/^Subject: x/m);
    expect(first?.text.length).to.be.below(2_000);
    expect(first?.html).to.contain("&lt;script&gt;").and.not.contain("<script>");
    await moveRuleTimes(id, 60_000);
    await turn.answered(asked);
    const [, second] = await mail.until((all) => all.length > 1);
    expect(second?.headers["subject"]).to.contain("Resolved: A session of claude-code is waiting for permission");
  });

  it("report a group once an hour, and again at once if it waits for something else", async () => {
    const id = await createRule(space, {
      ...mailed,
      condition: "sessionState",
      sessionStates: ["waitingForPermission"],
    });
    const turn = createTurnReporter(space);
    await turn.asks("ls", "toolu_1");
    await mail.until((all) => all.length === 1);
    for (let look = 0; look < 3; look += 1) {
      await moveRuleTimes(id, 5 * 60_000);
      await evaluateRulesNow(space);
    }
    expect(subjects()).to.have.length(1);
    await turn.answered("ls", "toolu_1");
    await turn.asks("rm -r dist", "toolu_2");
    await moveRuleTimes(id, 60_000);
    await evaluateRulesNow(space);
    await mail.until((all) => all.length === 2);
    expect(subjects()[1]).to.match(/: A session/);
  });

  it("report a repeated condition within the hour only after the hour", async () => {
    const id = await createRule(space, { ...mailed, ...completed });
    const issue = await space.issue();
    await move(issue.id, "Done");
    await mail.until((all) => all.length === 1);
    await moveRuleTimes(id, 60_000);
    await move(issue.id, "Todo");
    await mail.until((all) => all.length === 2);
    await moveRuleTimes(id, 60_000);
    await move(issue.id, "Done");
    await evaluateRulesNow(space);
    expect(await readRuleDeliveries(space, id)).to.have.length(2);
    await moveRuleTimes(id, HOUR);
    await evaluateRulesNow(space);
    await mail.until((all) => all.length === 3);
    expect(subjects().map((subject) => subject?.includes("Resolved:"))).to.deep.equal([false, true, false]);
  });

  it("join conditions that come close together into one message", async () => {
    const id = await createRule(space, { ...mailed, name: "Done", ...completed });
    const issues = [];
    for (let at = 0; at < 25; at += 1) issues.push((await space.issue({ title: `Issue ${at}` })).id);
    await moveRuleTimes(id, 0);
    await space.does("issueBatchUpdate", { ids: issues, input: { stateId: space.states["Done"] } });
    const [first] = await mail.until((all) => all.length > 0);
    expect(first?.headers["subject"]).to.equal("[Trackway] Done: 25 notices");
    expect(first?.text).to.contain("5 more notices.");
    expect(first?.text.match(/is in “Done”/g)).to.have.length(20);
  });

  it("are silent in quiet hours of their time zone, and afterwards report what still applies", async () => {
    const timeZone = "Asia/Kolkata";
    const timeAt = (ms: number) => new Intl.DateTimeFormat("en-GB", { timeZone, timeStyle: "short" }).format(ms);
    const now = Date.now();
    const quiet = { quietFrom: timeAt(now - HOUR), quietTo: timeAt(now + HOUR), timeZone };
    const id = await createRule(space, { ...mailed, ...completed, ...quiet });
    const [left, stays] = [await space.issue({ title: "Left" }), await space.issue({ title: "Stays" })];
    for (const issue of [left, stays]) await move(issue.id, "Done");
    await evaluateRulesNow(space);
    await move(left.id, "Todo");
    await evaluateRulesNow(space, new Date(now + HOUR - 2 * 60_000));
    expect(await readRuleDeliveries(space, id)).to.deep.equal([]);
    await evaluateRulesNow(space, new Date(now + HOUR + 60_000));
    const [delivery] = await readRuleDeliveries(space, id);
    const { body } = await space.rest("GET", `/api/notice-rules/${id}/deliveries/${delivery?.id}`);
    const { data } = body["payload"] as { data: { notices: { subject: object }[] } };
    expect(data.notices.map(({ subject }) => subject)).to.deep.equal([{ issueId: stays.id, state: "Done" }]);
  });

  it("send in the formats of Slack and ntfy, and to a signed webhook", async () => {
    const [slack, ntfy, hook] = [await startReceiver(), await startReceiver(), await startReceiver()];
    await createRule(space, { ...completed, channel: "slack", url: slack.url });
    await createRule(space, { ...completed, channel: "ntfy", url: `${ntfy.url}/my-topic`, secret: "tk_abc" });
    const id = await createRule(space, { ...completed, ...signed(hook.url) });
    const issue = await space.issue({ title: "<!channel> & <https://evil.example|go>" });
    await move(issue.id, "Done");
    const [slacked] = await slack.until((all) => all.length > 0);
    expect(slacked?.body.text)
      .to.contain("&lt;!channel&gt; &amp; &lt;https://evil.example|go&gt;")
      .and.not.match(/[<>]/);
    const [published] = await ntfy.until((all) => all.length > 0);
    expect(published?.body).to.include({ topic: "my-topic" });
    expect(published?.headers["authorization"]).to.equal("Bearer tk_abc");
    const [posted] = await hook.until((all) => all.length > 0);
    new Webhook(SIGNING_SECRET).verify(posted?.raw ?? "", posted?.headers ?? {});
    expect(posted?.body).to.include({ type: "Notice", action: "create", webhookId: id });
    const [notice] = posted?.body.data.notices ?? [];
    expect(notice).to.include({ event: "issue.completed", state: "firing" });
    expect(notice.subject.issueId).to.equal(issue.id);
  });

  it("lose nothing while their target is down, and send nothing twice", async () => {
    const { port } = mail;
    const id = await createRule(space, { ...mailed, ...completed });
    mail.refusals.push(451);
    await move((await space.issue({ title: "First" })).id, "Done");
    while ((await readRuleDeliveries(space, id))[0]?.attempts.length !== 1) await evaluateRulesNow(space);
    await mail.close();
    const { db } = (await startSharedServer()).runtime;
    const hurry = async () => {
      const text = `update delivery set "nextAttemptAt" = $2 where "targetId" = $1 and status = 'pending' and "leasedUntil" is null`;
      await db.query({ text, values: [id, new Date()] });
      db.wake.publish((await space.gql("{ organization { id } }")).organization.id);
    };
    while ((await readRuleDeliveries(space, id))[0]?.attempts.length !== 2) await hurry();
    const back = await startMailReceiver({ port });
    while ((await readRuleDeliveries(space, id))[0]?.status !== "delivered") await hurry();
    const [delivery] = await readRuleDeliveries(space, id);
    expect(delivery?.attempts.map(({ status }) => status)).to.deep.equal([451, null, 250]);
    expect(back.mails).to.have.length(1);
    const again = await space.rest("POST", `/api/notice-rules/${id}/deliveries/${delivery?.id}/redeliver`);
    expect([again.status, again.body]).to.deep.equal([202, { count: 1 }]);
    await back.until((all) => all.length === 2);
    expect(back.mails[0]?.headers["message-id"]).to.equal(back.mails[1]?.headers["message-id"]);
  });

  it("count delivered and abandoned messages per rule, only for owners", async () => {
    const ids = [
      await createRule(space, { ...mailed, ...completed }),
      await createRule(space, { ...mailed, ...completed }),
    ];
    const insert = `insert into delivery (id, "organizationId", "targetId", status, "createdAt", notices)
      select gen_random_uuid(), $1, $2, case when n % 4 = 0 then 'failed' when n % 4 = 1 then 'pending' else 'delivered' end,
        now() - n * interval '1 minute', '{"notices": [], "more": 0}' from generate_series(1, $3::int) n`;
    const { db } = (await startSharedServer()).runtime;
    for (const [at, many] of [8, 1_200].entries())
      await db.query({ text: insert, values: [space.organizationId, ids[at], many] });
    const counts = (n: { id: string; deliveredCount: number; failedCount: number }) => [
      ids.indexOf(n.id),
      n.deliveredCount,
      n.failedCount,
    ];
    const asked = "{ noticeRules { nodes { id deliveredCount failedCount } } }";
    const { noticeRules } = await space.gql(asked);
    expect(noticeRules.nodes.map(counts).sort()).to.deep.equal([
      [0, 4, 2],
      [1, 500, 250],
    ]);
    const member = await inviteGuest(space);
    const refused = await member.rest("POST", "/graphql", { query: asked });
    expect(JSON.stringify(refused.body)).to.contain("only owners");
  });

  it("keep titles within the subject, whatever they contain", async () => {
    const title = 'a\u2028Bcc: x@evil.example\u0085\u001b[31m "q" =?utf-8?q?b?= <i>';
    await createRule(space, { ...mailed, name: "Hostile", ...completed });
    await move((await space.issue({ title })).id, "Done");
    const [first] = await mail.until((all) => all.length > 0);
    expect(first?.head.some((line) => /^bcc/i.test(line))).to.equal(false);
    expect(first?.to).to.deep.equal(["olga@example.com"]);
    expect(first?.headers["subject"]).to.match(/^\[Trackway\] Hostile: ENG-\d+ “a Bcc: x@evil\. example/);
  });

  it("report an expired lease, and a new claim of the issue", async () => {
    const id = await createRule(space, { ...mailed, condition: "leaseExpired" });
    const issue = await space.issue({ title: "Left" });
    await space.does("issueClaim", { input: { id: issue.id } });
    await moveLeaseTimes(issue.id, 3_600);
    await maintainLeases((await startSharedServer()).runtime);
    await mail.until((all) => all.length === 1);
    expect(subjects()[0]).to.contain(`The lease of ${issue.identifier}`);
    await moveRuleTimes(id, 60_000);
    await space.does("issueClaim", { input: { id: issue.id } });
    await mail.until((all) => all.length === 2);
    expect(subjects()[1]).to.contain("Resolved: ");
  });

  it("report new failures, failing tools, and costs of sessions", async () => {
    const { runtime } = await startSharedServer();
    const names = ["failureGroup", "toolFailureRate", "sessionCost", "dayCost"];
    const inputs = [{}, { threshold: 50, minimumCalls: 3 }, { threshold: 2 }, { threshold: 2 }];
    for (const [at, condition] of names.entries())
      await createRule(space, { ...mailed, name: condition, condition, ...inputs[at] });
    const session_id = crypto.randomUUID();
    const now = Date.now();
    const fails = {
      primitive_name: "Bash",
      primitive_type: "tool",
      success: false,
      result: "no such unicorn",
      timestamp: now,
    };
    const events = [1, 2, 3].map(() => ({ ...createEvent(), ...fails, session_id }));
    const dear = { ...createEvent(), session_id, timestamp: now, metadata: { "gen_ai.usage.cost": 5 } };
    const { status } = await callRestApi(space.url, "POST", "/api/v1/capture-events", {
      ...{ body: { events: [...events, dear] }, headers: { "x-api-key": space.ingestKey } },
    });
    expect(status).to.equal(202);
    await processNewEvents(runtime.db);
    await updateHourAndGroupCounts(runtime);
    await evaluateRulesNow(space);
    await mail.until((all) => all.length === 4);
    const all = subjects().join("\n");
    expect(all).to.match(/failureGroup: New failure of “Bash”/);
    expect(all).to.match(/toolFailureRate: “Bash” failed in 3 of 3 calls/);
    expect(all).to.match(/sessionCost: A session has cost \$5\.00/);
    expect(all).to.match(/dayCost: The sessions of \d{4}-\d\d-\d\d have cost \$5\.00/);
    for (const { raw } of mail.mails) expect(raw).to.not.contain("unicorn");
  });
});
