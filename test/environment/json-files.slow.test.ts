import { expect } from "chai";
import { createSignedInUser } from "../support/cli/cli.ts";
import { createOrganization } from "../support/server.ts";

const MARK = "\uFEFF";

describe("a JSON file with a byte order mark", () => {
  it("is read by the command line: a login, the settings of a folder, the settings of an agent, an import", async () => {
    const tenant = await createOrganization();
    await tenant.gql('mutation { teamCreate(input: { key: "BOM", name: "Marks" }) { success } }');
    const person = await createSignedInUser(tenant);
    const login = ".config/trackway/login.json";
    person.write(login, MARK + person.read(login));
    expect(await person.run(["whoami"])).to.include({ code: 0, stderr: "" });

    person.write(".trackway.json", `${MARK}{"team": "BOM"}`);
    const created = await person.run(["create", "One", "--json"]);
    expect([created.code, created.stdout]).to.satisfy(
      ([code, out]: [number, string]) => code === 0 && /BOM-1/.test(out),
    );

    person.write("issues.jsonl", `${MARK}{"title": "Two"}\n{"title": "Three"}\n`);
    const exported = await person.run(["export", "--output", "all.jsonl"]);
    expect(exported.code, exported.stderr).to.equal(0);
    person.write("all.jsonl", MARK + person.read("all.jsonl"));
    expect((await person.run(["import", "all.jsonl", "--dry-run"])).stderr).to.not.match(/is not valid JSON/);
  });
});
