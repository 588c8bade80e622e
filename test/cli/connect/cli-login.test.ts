import { expect } from "chai";
import { createCliUser, createSignedInUser } from "../../support/cli/cli.ts";
import { runExecutable } from "../../support/cli/cli-run.ts";
import { inviteGuest } from "../../support/members.ts";
import { callRestApi, createOrganization } from "../../support/server.ts";

const LOGIN = ".config/trackway/login.json";
const ONE_LINE = /^trackway: [^\n]+\n$/;

describe("trackway login", () => {
  it("stores the login unreadable for other users, and whoami shows its account", async () => {
    const tenant = await createOrganization();
    const person = createCliUser();
    const login = ["login", tenant.url, "--email", tenant.email, "--password-stdin"];
    const { code, stdout, stderr } = await person.run(login, { input: `${tenant.password}\n` });
    expect([code, stderr]).to.deep.equal([0, ""]);
    expect(stdout).to.equal(`Logged in to ${tenant.url} as Olive Owner <${tenant.email}> in Acme.\n`);
    expect([person.mode(LOGIN), person.mode(".config/trackway")]).to.deep.equal(["600", "700"]);
    expect(person.read(LOGIN)).not.to.include(tenant.password);
    const told = await person.run(["whoami"]);
    expect(told.stdout).to.equal(`Olive Owner <${tenant.email}> in Acme (${tenant.urlKey}) at ${tenant.url}\n`);
    const json = JSON.parse((await person.run(["whoami", "--json"])).stdout);
    expect(json).to.deep.include({ url: tenant.url, organization: { name: "Acme", urlKey: tenant.urlKey } });
  });

  it("behaves as an executable as in these tests: input, output and exit code", async () => {
    const tenant = await createOrganization();
    const { home, run } = createCliUser();
    const login = ["login", tenant.url, "--email", tenant.email, "--password-stdin"];
    expect((await runExecutable(home, login, { input: tenant.password })).code).to.equal(0);
    const lines = [
      ["whoami"],
      ["whoami", "--json"],
      ["show", "ENG-1"],
      ["shwo"],
      ["--help"],
      ["comment", "ENG-1", "-"],
    ];
    const given = { input: "Said.", env: { NO_COLOR: "1" } };
    for (const line of lines)
      expect(await runExecutable(home, line, given), line.join(" ")).to.deep.equal(await run(line, given));
  });

  it("accepts a personal key from standard input, or from the environment", async () => {
    const tenant = await createOrganization();
    const person = createCliUser();
    const { code } = await person.run(["login", `${tenant.url}/`, "--token-stdin"], { input: tenant.apiKey });
    expect(code).to.equal(0);
    expect((await person.run(["whoami"])).stdout).to.include(`(${tenant.urlKey}) at ${tenant.url}`);
    const env = { TRACKWAY_URL: tenant.url, TRACKWAY_API_KEY: tenant.apiKey };
    expect((await createCliUser().run(["whoami"], { env })).stdout).to.include(`(${tenant.urlKey})`);
  });

  it("uses the named organization", async () => {
    const tenant = await createOrganization();
    const urlKey = `${tenant.urlKey}-two`.slice(0, 64);
    await tenant.rest("POST", "/api/organization", { name: "Second", urlKey });
    const login = ["login", tenant.url, "--email", tenant.email, "--password-stdin"];
    const person = createCliUser();
    for (const organization of [tenant.urlKey, urlKey]) {
      const ran = await person.run([...login, "--organization", organization], { input: tenant.password });
      expect(ran.code, ran.stderr).to.equal(0);
      expect(JSON.parse(person.read(LOGIN)).organization).to.equal(organization);
    }
    const lost = await person.run([...login, "--organization", "no-such"], { input: tenant.password });
    expect(lost.code).to.equal(3);
    expect(lost.stderr).to.match(ONE_LINE);
  });

  it("leaves one key after repeated logins, and none after logout", async () => {
    const tenant = await createOrganization();
    const person = await createSignedInUser(tenant);
    await person.run(["login", tenant.url, "--email", tenant.email, "--password-stdin"], { input: tenant.password });
    const labels = async () => {
      const { body } = await tenant.rest("GET", "/api/api-keys");
      return (body["apiKeys"] as { label: string }[]).filter(({ label }) => /^trackway login on /.test(label)).length;
    };
    expect(await labels()).to.equal(1);
    expect(await person.run(["logout"])).to.deep.equal({
      code: 0,
      stdout: `Logged out of ${tenant.url}.\n`,
      stderr: "",
    });
    expect([await labels(), person.has(LOGIN)]).to.deep.equal([0, false]);
    expect((await person.run(["logout"])).stdout).to.equal("You were not logged in.\n");
  });

  it("deletes a login whose server is unreachable, and says what remains", async () => {
    const person = await createSignedInUser(await createOrganization());
    const login = JSON.parse(person.read(LOGIN));
    person.write(LOGIN, JSON.stringify({ ...login, url: "http://127.0.0.1:9" }));
    const { code, stderr } = await person.run(["logout"]);
    expect([code, person.has(LOGIN)]).to.deep.equal([1, false]);
    expect(stderr).to.match(ONE_LINE).and.to.include("try: delete the key at http://127.0.0.1:9/settings");
  });
});

describe("a failing command", () => {
  const nowhere = { TRACKWAY_URL: "http://127.0.0.1:9", TRACKWAY_API_KEY: `trk_api_${"0".repeat(40)}` };

  it("has an exit code by cause, and one line with a hint", async () => {
    const { url, email } = await createOrganization();
    const person = createCliUser();
    const wrong = ["login", url, "--email", email, "--password-stdin"];
    const cases: [number, RegExp, string[], { input?: string; env?: Record<string, string> }][] = [
      [1, /No server responds at http:\/\/127\.0\.0\.1:9 .*try: .*npm start/, ["whoami"], { env: nowhere }],
      [2, /Unknown option '--emial'.*try: trackway login --help/, ["login", "--emial", "x"], {}],
      [2, /Unknown command 'lgoin'/, ["lgoin"], {}],
      [2, /issing required argument 'agent'/, ["connect"], {}],
      [2, /Unknown agent "clod"\..*try: claude-code, codex/, ["connect", "clod"], {}],
      [2, /is not an address of a server/, ["login", "trackway.example.com", "--token-stdin"], { input: "x" }],
      [2, /must be a personal key: trk_api_/, ["login", url, "--token-stdin"], { input: "trk_api_123" }],
      [2, /there is no terminal for the answer.*try: trackway login --email/, ["login", url], {}],
      [2, /Standard input is empty/, wrong, {}],
      [5, /The email address or the password is wrong/, wrong, { input: "not it" }],
      [5, /try: /, ["whoami"], { env: { ...nowhere, TRACKWAY_URL: url } }],
      [5, /You are not logged in.*try: trackway login/, ["whoami"], {}],
    ];
    const run = async ([code, line, args, more]: (typeof cases)[number]) => {
      const ran = await person.run(args, more);
      expect([ran.code, ran.stdout], args.join(" ") + ran.stderr).to.deep.equal([code, ""]);
      expect(ran.stderr).to.match(ONE_LINE).and.to.match(line);
    };
    for (const one of cases) await run(one);
  });

  it("sends the key of a login only to the server of the login", async () => {
    const person = await createSignedInUser(await createOrganization());
    const { code, stderr } = await person.run(["whoami"], { env: { TRACKWAY_URL: "http://127.0.0.1:9" } });
    expect([code, stderr]).to.deep.equal([
      5,
      "trackway: You are not logged in to http://127.0.0.1:9. try: trackway login\n",
    ]);
  });

  it("of an account without an organization says how to get one", async () => {
    const { url } = await createOrganization();
    const account = { email: `alone-${Date.now()}@example.com`, password: "correct horse", name: "Al One" };
    await callRestApi(url, "POST", "/api/auth/signup", { body: account });
    const login = ["login", url, "--email", account.email, "--password-stdin"];
    const { code, stderr } = await createCliUser().run(login, { input: account.password });
    expect(code).to.equal(5);
    expect(stderr).to.match(ONE_LINE).and.to.include(`${url}/settings`);
  });
});

describe("trackway --help", () => {
  it("lists every command, variable and exit code, and each command has its own help", async () => {
    const { code, stdout } = await createCliUser().run(["--help"]);
    expect(code).to.equal(0);
    const commands = ["login", "logout", "whoami", "connect", "doctor"];
    for (const name of [...commands, "TRACKWAY_INGEST_KEY", "5 no access"]) expect(stdout).to.include(name);
    for (const name of commands) {
      const help = await createCliUser().run([name, "--help"]);
      expect([help.code, help.stderr], name).to.deep.equal([0, ""]);
      expect(help.stdout).to.match(new RegExp(`^Usage: trackway ${name} `));
    }
  });
});

describe("an ingest key that trackway connect needs", () => {
  it("is requested from the owners by name if the user may not create it", async () => {
    const tenant = await createOrganization();
    const member = await inviteGuest(tenant);
    const person = await createSignedInUser({ ...tenant, ...member });
    const { code, stderr } = await person.run(["connect", "claude-code", "--yes", "--no-probe"]);
    expect(code).to.equal(5);
    expect(stderr).to.match(ONE_LINE).and.to.include(`Ask Olive Owner <${tenant.email}>`);
    expect(person.files()).to.deep.equal({});
    const env = { TRACKWAY_INGEST_KEY: tenant.ingestKey };
    const given = await person.run(["connect", "claude-code", "--yes", "--no-probe"], { env });
    expect(given.code, given.stderr).to.equal(0);
  });
});
