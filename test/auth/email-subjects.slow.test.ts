import { randomUUID } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import type { App } from "../../server/app.ts";
import { preventAutoLinks } from "../../server/mail/mail.ts";
import { closeMailReceivers, type MailReceiver, startMailReceiver } from "../support/accounts/smtp.ts";
import { startOwnServer } from "../support/own-server.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { callRestApi, createOrganization } from "../support/server.ts";
import { createRule } from "../support/stream/notices.ts";
import { createWorkspaceIn } from "../support/workspace.ts";

/** Texts that mail programs turn into links, in every notation. */
const LINKS = [
  /\p{L}[\p{L}\p{N}+.-]*:\/\//u,
  /\/\/[\p{L}\p{N}]/u,
  /[\p{L}\p{N}_-]\.[\p{L}\p{M}]/u,
  /\b\d+\.\d+\.\d+\.\d+/,
  /\b(mailto|javascript|data|tel|ftp)\s*:\S/iu,
  /\bwww\.[\p{L}\p{N}]/iu,
];
const linkIn = (subject: string) => LINKS.find((link) => link.test(subject) || link.test(subject.normalize("NFKC")));

const HOSTILE = [
  "locked: sign in at https://evil.example/login?x=1",
  "HTTPS://EVIL.EXAMPLE",
  "www.evil.example",
  "evil.example",
  "xn--evl-zla.example",
  "злой.рф",
  "evil。example．com｡net",
  "evil․com ⒈com",
  "http：／／evil．example",
  "http:\\\\evil.example",
  "http://192.0.2.1/ 192.0.2.1",
  "http://[2001:db8::1]/",
  "ada@evil.example mailto:ada@evil.example",
  "javascript:alert(1) tel:+4930 data:text/html,x",
  "e\u200bvil.\u200bexample \u202ehttps://evil.example",
  "bit.ly/x\r\nBcc: x@evil.example",
  `${"x".repeat(60)} https://evil.example`,
];

const piece = fc.oneof(
  fc.constantFrom(
    ...HOSTILE,
    "http",
    "https",
    "www",
    "com",
    "evil",
    "mailto",
    "://",
    "//",
    ".",
    "。",
    "．",
    "｡",
    "․",
    "⒈",
    "﹒",
  ),
  fc.constantFrom(":", "：", "/", "／", "\\", "@", " ", "-", "1", "192", "é", "\u0301", "\u200b", "“", "…", "рф"),
  fc.string({ maxLength: 3 }),
);
const name = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(""));

describe("the subject of an email", () => {
  let mail: MailReceiver;
  let app: App;
  let end: (() => Promise<void>) | undefined;
  before(async () => {
    mail = await startMailReceiver();
    const SMTP_URL = `smtp://127.0.0.1:${mail.port}?security=none`;
    // In a separate database. Servers of other tests, which have no mail server, would otherwise claim the
    // deliveries.
    ({ app, end } = await startOwnServer({ SMTP_URL, MAIL_FROM: "Trackway <trackway@example.com>" }));
  });
  after(async () => {
    await closeMailReceivers();
    await end?.();
  });
  const expectNoLinks = (count: number) => {
    expect(mail.mails.length).to.be.at.least(count);
    for (const { headers, head } of mail.mails.splice(0)) {
      expect(linkIn(headers["subject"] ?? ""), headers["subject"]).to.equal(undefined);
      expect(head.some((line) => /^bcc/i.test(line))).to.equal(false);
    }
  };

  it("contains nothing that looks like a link, for any names", () => {
    fc.assert(
      fc.property(name, (text) => {
        const subject = preventAutoLinks(text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}\s]+/gu, " "));
        expect(linkIn(subject), subject).to.equal(undefined);
      }),
      { numRuns: scaleRuns(5_000) },
    );
  });

  it("keeps usual names unchanged", () => {
    const usual = [
      "Acme Inc.",
      "Fix the parser (v1.2.3)",
      "10:30 in Berlin",
      "“Done” · 3 of 7",
      "A. B. Smith",
      "Over: it is in “Done”",
    ];
    expect(usual.map(preventAutoLinks)).to.deep.equal(usual);
  });

  it("of an invitation or password reset is safe for hostile names", async () => {
    const tenant = await createOrganization(app);
    for (const hostile of HOSTILE) {
      await app.runtime.db.query({
        text: `update organization set name = $2 where id = $1`,
        values: [tenant.organizationId, hostile],
      });
      await app.runtime.db.query({
        text: "update account set name = $2 where email = $1",
        values: [tenant.email, hostile],
      });
      const { body } = await tenant.rest("POST", "/api/invitations", { email: `${randomUUID()}@example.com` });
      expect(body["mailed"]).to.equal(true);
      const [{ text } = { text: "" }] = mail.mails;
      expect(linkIn(text.split("\n")[0] ?? ""), text).to.equal(undefined);
      await callRestApi(app.url, "POST", "/api/auth/password-reset", { body: { email: tenant.email } });
      await mail.until((all) => all.length === 2);
      expectNoLinks(2);
    }
  });

  it("of a notice is safe for hostile names of rules, issues, states and tools", async () => {
    const space = await createWorkspaceIn(await createOrganization(app));
    const { db } = app.runtime;
    const id = await createRule(space, { condition: "issueState", issueStateTypes: ["completed"], channel: "email" });
    for (const hostile of HOSTILE) {
      await db.query({ text: `update "noticeRule" set name = $2 where id = $1`, values: [id, hostile] });
      const issue = await space.issue({ title: hostile.replaceAll("\r\n", " ") });
      const at = new Date();
      const entry = (event: string, subject: object) =>
        JSON.stringify({ notices: [{ event, state: "firing", value: "completed", since: at, subject }], more: 0 });
      const subjects = [
        entry("issue.completed", { issueId: issue.id, state: hostile }),
        entry("issue.leaseExpired", { issueId: issue.id }),
        entry("tool.failureRate", { tool: hostile, failures: 3, calls: 4 }),
        entry("test", {}),
      ];
      for (const notices of subjects)
        await db.query({
          text: `insert into delivery (id, "organizationId", "targetId", notices, "nextAttemptAt", "createdAt") values ($1, $2, $3, $4, $5, $5)`,
          values: [randomUUID(), space.organizationId, id, notices, at],
        });
      db.wake.publish(space.organizationId);
    }
    await mail.until((all) => all.length >= 4 * HOSTILE.length);
    expectNoLinks(4 * HOSTILE.length);
  });
});
