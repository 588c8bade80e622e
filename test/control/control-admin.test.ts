import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import type { App } from "../../server/app.ts";
import { call, freshOrganization, sendGraphQL, sharedServer } from "../support/server.ts";

const run = promisify(execFile);
const viewer = { query: "{ viewer { id } }" };

describe("npm run admin", () => {
  let app: App;
  before(async () => {
    app = await sharedServer();
  });
  const admin = async (...args: string[]) => {
    const { DATA_DIR, DATABASE_URL = "", JWT_SECRET = "" } = app.runtime.config;
    const env = { ...process.env, DATA_DIR, DATABASE_URL, JWT_SECRET };
    const { stdout } = await run(process.execPath, ["dist/server/admin/admin.js", ...args], { env });
    return stdout.trim();
  };

  it("reaches the running embedded server over a socket that its user alone can open", async function () {
    if (app.runtime.db.engine !== "embedded") this.skip();
    const { mode } = await stat(join(app.runtime.config.DATA_DIR, "admin.sock"));
    expect(mode & 0o777).to.equal(0o600);
  });

  it("gives an account a new password and ends its logins", async () => {
    const { email, rest } = await freshOrganization();
    const password = (await admin("reset-password", email)).match(/password (\S+)/)?.[1];
    if (app.runtime.db.engine === "embedded") expect((await rest("GET", "/api/api-keys")).status).to.equal(401);
    const { status } = await call(app.url, "POST", "/api/auth/login", { body: { email, password } });
    expect(status).to.equal(200);
  });

  it("mints a member's key, lists it without itself, and revokes it at once", async () => {
    const { email, urlKey } = await freshOrganization();
    const made = await admin("create-key", email, urlKey, "by hand");
    const [, key = "", id = ""] = made.match(/^(trk_api_\w+)\n\(id (\S+),/) ?? [];
    expect((await sendGraphQL(app.url, key, viewer)).status).to.equal(200);
    expect(await admin("list", "keys"))
      .to.contain(id)
      .and.not.to.contain(key);
    expect(await admin("revoke", id)).to.equal("personal keys deleted: 1");
    if (app.runtime.db.engine === "embedded") expect((await sendGraphQL(app.url, key, viewer)).status).to.equal(401);
  });

  it("says how it is used when asked for what it cannot do", async () => {
    const { stderr, code } = await admin("destroy").catch((error) => error);
    expect([stderr, code]).to.deep.equal([stderr, 1]);
    expect(stderr).to.contain("reset-password EMAIL");
  });
});
