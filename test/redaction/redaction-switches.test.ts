import { expect } from "chai";
import { uuidv7 } from "uuidv7";
import { findTablesWith } from "../support/db/tables-with.ts";
import { inviteGuest } from "../support/members.ts";
import { createEvent, createSession } from "../support/recording/ingest.ts";
import { postHook, readHookFixture, readSession } from "../support/recording/observed-sessions.ts";
import {
  PATTERN,
  postToIngestion,
  REDACTION_SWITCHES,
  setRedactionSwitches,
} from "../support/recording/redaction-switches.ts";
import { sendGraphQL } from "../support/server.ts";
import { createWorkspace } from "../support/workspace.ts";
import { ALNUM, random } from "./corpus/random.ts";

describe("redaction settings", () => {
  it("have the documented defaults, and keep values that an update does not name", async () => {
    const space = await createWorkspace();
    expect((await space.gql(`{ ${REDACTION_SWITCHES} }`)).organization).to.deep.equal({
      redactionEnabled: true,
      redactionEntropy: false,
      redactionPersonalData: false,
      redactionPatterns: [],
    });
    const set = await space.does("organizationUpdate", { input: { redactionPatterns: [PATTERN] } }, REDACTION_SWITCHES);
    expect(set.organization.redactionPatterns).to.deep.equal([PATTERN]);
    const off = await space.does("organizationUpdate", { input: { redactionEnabled: false } }, REDACTION_SWITCHES);
    expect(off.organization).to.include({ redactionEnabled: false, redactionEntropy: false });
    expect(off.organization.redactionPatterns).to.deep.equal([PATTERN]);
  });

  it("can be set only by owners, and are in the audit log with the actor, without patterns", async () => {
    const space = await createWorkspace();
    const member = await inviteGuest(space);
    const query = "mutation { organizationUpdate(input: { redactionEnabled: false }) { success } }";
    const refused = await sendGraphQL(space.url, `Bearer ${member.accessToken}`, { query });
    expect(refused.errors?.[0]?.extensions.code).to.equal("FORBIDDEN");
    await space.does("organizationUpdate", { input: { redactionEnabled: false, redactionPatterns: [PATTERN] } });
    const { entries } = (await space.rest("GET", "/api/audit?event=organization.redaction")).body as any;
    expect(entries).to.have.length(1);
    expect(entries[0].email).to.equal(space.email);
    expect(entries[0].detail).to.deep.equal({ redactionEnabled: false, redactionPatterns: ["acme-key"] });
  });

  it("refuse names and patterns with the invalid field and a fix", async () => {
    const space = await createWorkspace();
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

  it("remove secrets of an organization's own pattern from all rows, through every API", async () => {
    const space = await createWorkspace();
    await setRedactionSwitches(space, { redactionPatterns: [PATTERN] });
    const source = random(21);
    const secret = `acme_${source.chars(ALNUM, 24)}`;
    const session_id = uuidv7();
    const event = (fields: object) => createEvent({ session_id, ...fields });
    const batch = [
      event({ args: `echo ${secret}`, result: `{"out":"${secret}"}` }),
      event({ primitive_name: `run ${secret}`, success: false, result: `Error: bad key ${secret}` }),
      event({ metadata: { note: secret, deep: [{ list: [`a ${secret}`] }] } }),
    ];
    expect((await postToIngestion(space, "capture-events", { events: batch })).body["accepted"]).to.equal(3);
    await postToIngestion(
      space,
      "capture-session",
      createSession({ session_id, metadata: { cwd: secret }, client_config: secret }),
    );
    await postHook(space, "claude-code", {
      ...readHookFixture("claude/02-user-prompt-submit"),
      prompt: `use ${secret}`,
    });
    await space.issue({ title: `Rotate ${secret}`, description: `It is ${secret}.` });
    expect(await findTablesWith(secret.slice(5))).to.deep.equal([]);
    const { events } = await readSession(space, session_id);
    expect(JSON.stringify(events).match(/\[redacted:acme-key:[0-9a-f]{4}\]/g)?.length).to.be.at.least(5);
  });

  it("when off, keep texts as sent, except for header names of the server", async () => {
    const space = await createWorkspace();
    await setRedactionSwitches(space, { redactionEnabled: false, redactionPersonalData: true });
    const args = `login ghp_${random(22).chars(ALNUM, 36)} bob@acme.dev`;
    const event = createEvent({ args, metadata: { cookie: "a=b", note: args } });
    await postToIngestion(space, "capture-events", { events: [event] });
    const [read] = (await readSession(space, event.session_id)).events;
    expect(read.args).to.equal(args);
    expect(read.metadata.note).to.equal(args);
    expect(read.metadata.cookie).to.match(/^\[redacted:header:/);
  });
});
