import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { COMMANDS } from "../../server/admin/commands.ts";
import { getUsageText } from "../../server/admin/usage.ts";
import type { App } from "../../server/app.ts";
import { callRestApi, createOrganization, sendGraphQL, startSharedServer } from "../support/server.ts";

const run = promisify(execFile);
const viewer = { query: "{ viewer { id } }" };

describe("npm run admin", () => {
  let app: App;
  before(async () => {
    app = await startSharedServer();
  });
  const admin = async (...args: string[]) => {
    const { DATA_DIR, DATABASE_URL = "", JWT_SECRET = "" } = app.runtime.config;
    const env = { ...process.env, DATA_DIR, DATABASE_URL, JWT_SECRET };
    const { stdout } = await run(process.execPath, ["dist/server/admin/admin.js", ...args], { env });
    return stdout.trim();
  };

  it("reaches the running embedded server over a socket that only its user can open", async function () {
    if (app.runtime.db.engine !== "embedded") this.skip();
    const { mode } = await stat(join(app.runtime.config.DATA_DIR, "admin.sock"));
    expect(mode & 0o777).to.equal(0o600);
  });

  it("sets a new password of an account and revokes its logins", async () => {
    const { email, rest } = await createOrganization();
    const password = (await admin("reset-password", email)).match(/password (\S+)/)?.[1];
    if (app.runtime.db.engine === "embedded") expect((await rest("GET", "/api/api-keys")).status).to.equal(401);
    const { status } = await callRestApi(app.url, "POST", "/api/auth/login", { body: { email, password } });
    expect(status).to.equal(200);
  });

  it("creates a member's key, lists it without the token, and revokes it at once", async () => {
    const { email, urlKey } = await createOrganization();
    const made = await admin("create-key", email, urlKey, "by hand");
    const [, key = "", id = ""] = made.match(/^(trk_api_\w+)\n\(id (\S+),/) ?? [];
    expect((await sendGraphQL(app.url, key, viewer)).status).to.equal(200);
    expect(await admin("list", "keys"))
      .to.contain(id)
      .and.not.to.contain(key);
    expect(await admin("revoke", id)).to.equal("personal keys deleted: 1");
    if (app.runtime.db.engine === "embedded") expect((await sendGraphQL(app.url, key, viewer)).status).to.equal(401);
  });

  const welcome = (body: object) => callRestApi(app.url, "POST", "/api/auth/welcome", { body });

  it("creates an owner with organization and team, and a link that works once and asks for a password", async () => {
    const mark = Date.now();
    const email = `first-${mark}@example.com`;
    const made = await admin("create-owner", email, "--organization", `Ärger & Söhne ${mark}`);
    const [, code] = /#welcome=(\S+)\n/.exec(made) ?? [];
    expect(made).to.contain(`arger-sohne-${mark}`);
    expect((await welcome({ code })).body["code"]).to.equal("password_needed");
    const { status, body } = await welcome({ code, password: "a password of the owner's" });
    expect(status).to.equal(200);
    const query = "{ viewer { email } organization { name } teams { nodes { key } } }";
    const { data } = await sendGraphQL(app.url, `Bearer ${body["accessToken"]}`, { query });
    expect([data.viewer.email, data.organization.name, data.teams.nodes]).to.deep.equal([
      email,
      `Ärger & Söhne ${mark}`,
      [{ key: "ENG" }],
    ]);
    expect((await welcome({ code, password: "another password" })).status).to.equal(401);
    const login = await callRestApi(app.url, "POST", "/api/auth/login", {
      body: { email, password: "a password of the owner's" },
    });
    expect(login.status).to.equal(200);
  });

  it("attack: an operator's link cannot change an existing password", async () => {
    const { email, password } = await createOrganization();
    const made = await admin("create-owner", email, "--organization", `Second ${Date.now()}`);
    const [, code] = /#welcome=(\S+)\n/.exec(made) ?? [];
    expect((await welcome({ code, password: "another password" })).status).to.equal(200);
    expect((await callRestApi(app.url, "POST", "/api/auth/login", { body: { email, password } })).status).to.equal(200);
  });

  it("refuses an owner without an address or an organization, and creates nothing", async () => {
    for (const args of [
      ["x@example.com"],
      ["--organization", "X"],
      ["x", "--organization", "X"],
      ["x@y.z", "z", "--organization", "X"],
    ]) {
      const { stderr } = await admin("create-owner", ...args).catch((error) => error);
      expect(stderr, args.join(" ")).to.contain("create-owner EMAIL --organization NAME");
    }
  });

  it("explains every command without a database", async () => {
    const env = { PATH: process.env["PATH"], DATABASE_URL: "nothing" };
    const help = async (script: string, ...args: string[]) =>
      (await run(process.execPath, [`dist/server/admin/${script}.js`, ...args, "--help"], { env })).stdout;
    const [all = "", one, ...files] = await Promise.all([
      help("admin"),
      help("admin", "create-owner"),
      help("backup"),
      help("restore-file"),
    ]);
    expect([one, ...files].join()).to.match(/^npm run admin -- create-owner .*npm run backup .*npm run restore /s);
    const commands = [...all.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name = ""]) => name);
    expect(commands).to.have.members(["distribute", "preflight", ...Object.keys(COMMANDS)]);
    for (const name of commands) expect(getUsageText(name)).to.match(new RegExp(`^npm run admin -- ${name} `));
  });

  it("allows passwords again in an organization that requires its provider", async () => {
    const tenant = await createOrganization();
    await app.runtime.db.query({
      text: `insert into "oidcProvider" values ($1, 'https://idp.example', 'c', '', '{}', 'groups', '[]', true, now(), now())`,
      values: [tenant.organizationId],
    });
    expect(await admin("allow-passwords", tenant.urlKey)).to.contain("again");
    const { email, password, urlKey: organization } = tenant;
    const login = await callRestApi(app.url, "POST", "/api/auth/login", { body: { email, password, organization } });
    expect(login.status).to.equal(200);
  });

  it("prints its usage for an unknown command", async () => {
    const { stderr, code } = await admin("destroy").catch((error) => error);
    expect([stderr, code]).to.deep.equal([stderr, 1]);
    expect(stderr).to.contain("reset-password EMAIL");
  });
});
