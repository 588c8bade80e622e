import { expect } from "chai";
import { uuidv7 } from "uuidv7";
import { tablesWith } from "../support/db/tables-with.ts";
import { joined } from "../support/members.ts";
import { anEvent, aSession } from "../support/recording/ingest.ts";
import { fixture, postHook, readSession } from "../support/recording/observed-sessions.ts";
import { PATTERN, post, SWITCHES, switched } from "../support/recording/redaction-switches.ts";
import { sendGraphQL } from "../support/server.ts";
import { freshWorkspace } from "../support/workspace.ts";
import { ALNUM, random } from "./corpus/random.ts";

describe("the switches of redaction", () => {
  it("are on and off as documented until they are set, and stay where they are not named", async () => {
    const space = await freshWorkspace();
    expect((await space.gql(`{ ${SWITCHES} }`)).organization).to.deep.equal({
      redactionEnabled: true,
      redactionEntropy: false,
      redactionPersonalData: false,
      redactionPatterns: [],
    });
    const set = await space.does("organizationUpdate", { input: { redactionPatterns: [PATTERN] } }, SWITCHES);
    expect(set.organization.redactionPatterns).to.deep.equal([PATTERN]);
    const off = await space.does("organizationUpdate", { input: { redactionEnabled: false } }, SWITCHES);
    expect(off.organization).to.include({ redactionEnabled: false, redactionEntropy: false });
    expect(off.organization.redactionPatterns).to.deep.equal([PATTERN]);
  });

  it("are an owner's to set, and in the audit log with who set what, but for what patterns spell", async () => {
    const space = await freshWorkspace();
    const member = await joined(space);
    const query = "mutation { organizationUpdate(input: { redactionEnabled: false }) { success } }";
    const refused = await sendGraphQL(space.url, `Bearer ${member.accessToken}`, { query });
    expect(refused.errors?.[0]?.extensions.code).to.equal("FORBIDDEN");
    await space.does("organizationUpdate", { input: { redactionEnabled: false, redactionPatterns: [PATTERN] } });
    const { entries } = (await space.rest("GET", "/api/audit?event=organization.redaction")).body as any;
    expect(entries).to.have.length(1);
    expect(entries[0].email).to.equal(space.email);
    expect(entries[0].detail).to.deep.equal({ redactionEnabled: false, redactionPatterns: ["acme-key"] });
  });

  it("refuse names and patterns with the field at fault and the cure", async () => {
    const space = await freshWorkspace();
    const refused = (...redactionPatterns: object[]) =>
      space.refuses("organizationUpdate", { input: { redactionPatterns } });
    expect(await refused(PATTERN, { name: "one", pattern: "a*" })).to.include({
      code: "INVALID_INPUT",
      field: "input.redactionPatterns.1.pattern",
    });
    expect((await refused({ name: "one", pattern: "(a+)+b" })).message).to.contain("allowed are");
    expect(await refused({ name: "github-token", pattern: "abcdef" })).to.include({
      field: "input.redactionPatterns.0.name",
    });
    expect((await refused({ name: "Not Kebab", pattern: "abcdef" })).field).to.equal("input.redactionPatterns.0.name");
    expect((await refused({ name: "long", pattern: "a".repeat(201) })).message).to.contain("200");
    expect((await refused(PATTERN, PATTERN)).message).to.contain("different names");
    const many = Array.from({ length: 21 }, (_, at) => ({ name: `own-${at}`, pattern: "abcdef" }));
    expect((await refused(...many)).message).to.contain("20");
  });

  it("leave no secret of an own pattern in any row, by whatever way it comes", async () => {
    const space = await freshWorkspace();
    await switched(space, { redactionPatterns: [PATTERN] });
    const source = random(21);
    const secret = `acme_${source.chars(ALNUM, 24)}`;
    const session_id = uuidv7();
    const event = (fields: object) => anEvent({ session_id, ...fields });
    const batch = [
      event({ args: `echo ${secret}`, result: `{"out":"${secret}"}` }),
      event({ primitive_name: `run ${secret}`, success: false, result: `Error: bad key ${secret}` }),
      event({ metadata: { note: secret, deep: [{ list: [`a ${secret}`] }] } }),
    ];
    expect((await post(space, "capture-events", { events: batch })).body["accepted"]).to.equal(3);
    await post(space, "capture-session", aSession({ session_id, metadata: { cwd: secret }, client_config: secret }));
    await postHook(space, "claude-code", { ...fixture("claude/02-user-prompt-submit"), prompt: `use ${secret}` });
    await space.issue({ title: `Rotate ${secret}`, description: `It is ${secret}.` });
    expect(await tablesWith(secret.slice(5))).to.deep.equal([]);
    const { events } = await readSession(space, session_id);
    expect(JSON.stringify(events).match(/\[redacted:acme-key:[0-9a-f]{4}\]/g)?.length).to.be.at.least(5);
  });

  it("keep texts as they were sent while redaction is off, but for header names of the server", async () => {
    const space = await freshWorkspace();
    await switched(space, { redactionEnabled: false, redactionPersonalData: true });
    const args = `login ghp_${random(22).chars(ALNUM, 36)} bob@acme.dev`;
    const event = anEvent({ args, metadata: { cookie: "a=b", note: args } });
    await post(space, "capture-events", { events: [event] });
    const [read] = (await readSession(space, event.session_id)).events;
    expect(read.args).to.equal(args);
    expect(read.metadata.note).to.equal(args);
    expect(read.metadata.cookie).to.match(/^\[redacted:header:/);
  });
});
