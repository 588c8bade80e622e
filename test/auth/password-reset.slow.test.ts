import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { App } from "../../server/app.ts";
import { closeMailReceivers, type MailReceiver, startMailReceiver } from "../support/accounts/smtp.ts";
import { setEarlierSql } from "../support/db/database.ts";
import { callRestApi, closeOwnServers, logLines, type RestReply, startServer } from "../support/server.ts";

const OLD = "the old password";
const NEW = "a new password";

describe("resetting a password by email", () => {
  let mail: MailReceiver;
  let app: App;
  before(async () => {
    mail = await startMailReceiver();
    const SMTP_URL = `smtp://relay:relay-password@127.0.0.1:${mail.port}/?security=none`.replace("/?", "?");
    app = await startServer({ SMTP_URL, MAIL_FROM: "Trackway <trackway@example.com>", LOGIN_THROTTLE: "on" });
  });
  beforeEach(async () => {
    // Each test starts with empty rate limits, as in a new hour.
    await app.runtime.db.query({ text: "delete from throttle" });
  });
  after(async () => {
    await closeMailReceivers();
    await closeOwnServers();
  });

  const post = (path: string, body: object): Promise<RestReply> =>
    callRestApi(app.url, "POST", `/api/auth/${path}`, { body });
  const signUp = async () => {
    const email = `${randomUUID()}@example.com`;
    const { body } = await post("signup", { email, password: OLD, name: "Olga" });
    return { email, refreshToken: String(body["refreshToken"]) };
  };
  const ask = (email: string) => post("password-reset", { email });
  const confirm = (token: string, password = NEW) => post("password-reset/confirm", { token, password });
  const mailsTo = (email: string) => mail.mails.filter(({ to }) => to.includes(email));
  const tokensTo = (email: string) => mailsTo(email).map(({ text }) => /#reset=([\w-]+)/.exec(text)?.[1] ?? "");
  const tokenFor = async (email: string): Promise<string> => {
    const before = mailsTo(email).length;
    expect((await ask(email)).status).to.equal(202);
    await mail.until(() => mailsTo(email).length > before);
    return tokensTo(email).at(-1) ?? "";
  };
  const status = async (email: string, password: string) => (await post("login", { email, password })).status;

  it("signs in by the link, and revokes all other logins", async () => {
    const { email, refreshToken } = await signUp();
    const token = await tokenFor(email);
    const { status: done, body } = await confirm(token);
    expect([done, (body["user"] as { email: string }).email]).to.deep.equal([200, email]);
    expect([await status(email, OLD), await status(email, NEW)]).to.deep.equal([401, 200]);
    expect((await post("refresh", { refreshToken })).status).to.equal(401);
    expect((await post("refresh", { refreshToken: body["refreshToken"] as string })).status).to.equal(200);
    const { db } = app.runtime;
    const entries = await db.query<{ event: string }>({
      text: `select event from audit where detail->>'email' = $1 and event like 'password.%' order by id`,
      values: [email],
    });
    expect(entries.map(({ event }) => event)).to.deep.equal(["password.resetAsked", "password.reset"]);
    expect(logLines.join("\n")).to.not.contain(token).and.not.contain("relay-password");
  });

  it("works once per link, within an hour, and invalidates earlier links", async () => {
    const { email } = await signUp();
    const [first, second] = [await tokenFor(email), await tokenFor(email)];
    const both = await Promise.all([confirm(second), confirm(second, "another password")]);
    expect(both.map((each) => each.status).sort()).to.deep.equal([200, 401]);
    expect([(await confirm(first)).status, (await confirm(second)).status]).to.deep.equal([401, 401]);
    const late = await tokenFor(email);
    const text = `update "passwordReset" set ${setEarlierSql(["expiresAt"], "interval '1 hour'")}`;
    await app.runtime.db.query({ text });
    expect((await confirm(late)).status).to.equal(401);
  });

  it("gives the same response for an unknown address, which gets no email", async () => {
    const { email } = await signUp();
    const nobody = `${randomUUID()}@example.com`;
    const [known, unknown] = [await ask(email), await ask(nobody)];
    const shown = ({ status, body, headers }: RestReply) => [status, body, headers.get("retry-after")];
    expect(shown(known)).to.deep.equal(shown(unknown));
    await mail.until(() => mailsTo(email).length === 1);
    await sleep(200);
    expect(mailsTo(nobody)).to.deep.equal([]);
  });

  it("sends three emails an hour to an address, from any networks, and refuses a network that continues", async () => {
    const { email } = await signUp();
    const replies = await Promise.all(Array.from({ length: 100 }, () => ask(email)));
    const count = (status: number) => replies.filter((each) => each.status === status).length;
    // A busy machine responds to some requests with 503.
    expect(count(202) + count(429) + count(503)).to.equal(100);
    expect(count(202)).to.be.within(3, 20);
    await mail.until(() => mailsTo(email).length >= 3);
    await sleep(300);
    expect(mailsTo(email)).to.have.length(3);
    const tries = await Promise.all(Array.from({ length: 100 }, () => confirm(randomUUID())));
    expect(tries.filter((each) => each.status === 401).length).to.be.within(1, 20);
    expect(tries.some((each) => each.status === 429)).to.equal(true);
  });

  it("is refused with an explanation if the server sends no emails", async () => {
    const mute = await startServer();
    const { status, body } = await callRestApi(mute.url, "POST", "/api/auth/password-reset", {
      body: { email: "a@b.example" },
    });
    expect([status, body["code"]]).to.deep.equal([409, "no_mail"]);
  });

  it("sends invitations by email, and reports when none could be sent", async () => {
    const { body } = await post("signup", { email: `${randomUUID()}@example.com`, password: OLD, name: "Olga" });
    const bearer = (token: unknown) => ({ Authorization: `Bearer ${token}` });
    const organization = { name: 'A "B"\u2028Bcc: <x@evil.example>', urlKey: `o-${randomUUID()}`.slice(0, 20) };
    const made = await callRestApi(app.url, "POST", "/api/organization", {
      ...{ body: organization, headers: bearer(body["accessToken"]) },
    });
    const headers = bearer(made.body["accessToken"]);
    const invite = (email: string) => callRestApi(app.url, "POST", "/api/invitations", { body: { email }, headers });
    const { status, body: invited } = await invite("new@example.com");
    expect([status, invited["mailed"]]).to.deep.equal([201, true]);
    const [sent] = mailsTo("new@example.com");
    expect(sent?.text).to.contain(`#invitation=${invited["token"]}`);
    expect(sent?.head.some((line) => /^bcc/i.test(line))).to.equal(false);
    mail.refusals.push(550);
    expect((await invite("other@example.com")).body)
      .to.include({ mailed: false })
      .and.have.property("token");
  });
});
