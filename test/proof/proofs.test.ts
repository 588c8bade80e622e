import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { connectOauthApp } from "../support/accounts/oauth.ts";
import { createAgentShell } from "../support/cli/cli.ts";
import { connectSharedClient } from "../support/mcp.ts";
import { inviteGuest } from "../support/members.ts";
import { startWorkingSession, type WorkingSession } from "../support/recording/agent-work.ts";
import { sendGraphQL } from "../support/server.ts";
import { createAgent } from "../support/tracker/work.ts";
import { createWorkspace, performSignedIn, type Workspace } from "../support/workspace.ts";

const PROOF = "proof { verdict reason events { id primitiveName args } overriddenBy { id } }";

/** Creates a team that demands a proof, and an issue that a session claimed. */
async function claimed(proof: object): Promise<{ space: Workspace; issue: any; session: WorkingSession }> {
  const space = await createWorkspace();
  await space.does("teamUpdate", { id: space.teamId, input: { proof } });
  const issue = await space.issue({ title: "Parser drops empty lines" });
  const session = await startWorkingSession(space, "Mend the parser");
  await space.does("issueClaim", { input: { id: issue.id, sessionId: session.id } });
  return { space, issue, session };
}

const complete = async ({ space, issue }: { space: Workspace; issue: any }, more: object = {}) =>
  (await space.does("issueComplete", { id: issue.id, ...more }, PROOF)).proof;
/** Completes the issue without a proof, as a signed-in user. */
const overrides = async ({ space, issue }: { space: Workspace; issue: any }) =>
  (await performSignedIn(space, "issueComplete", { id: issue.id, overrideProof: true }, PROOF)).proof;
const proofOf = async ({ space, issue }: { space: Workspace; issue: any }) =>
  (await space.gql(`{ issue(id: "${issue.id}") { ${PROOF} } }`)).issue.proof;

describe("a team's demand for a proof", () => {
  it("is met by a recorded command that passed after the last change, and the proof names its events", async () => {
    const work = await claimed({ commands: ["npm test"], commit: true });
    await work.session.runs("npm test", 1, "2 failing");
    await work.session.edits("/srv/parcels/src/parser.ts");
    await work.session.runs("cd /srv/parcels && npm test");
    await work.session.runs("git add -A && git commit -m 'Keep empty lines'");
    await work.session.begins(`trackway done ${work.issue.identifier}`);
    const proof = await complete(work);
    expect(proof.verdict, proof.reason).to.equal("verified");
    expect(proof.events.map(({ primitiveName }: any) => primitiveName)).to.have.members(["Bash", "Bash", "Edit"]);
    expect(await proofOf(work)).to.deep.equal(proof);
    const { nodes } = (
      await work.space.gql(`{ issues(filter: { proof: { verdict: { eq: "verified" } } }) { nodes { id } } }`)
    ).issues;
    expect(nodes).to.deep.equal([{ id: work.issue.id }]);
    const [entry] = (await work.space.log()).filter(({ event }) => event === "issueProof.created");
    expect(entry?.data).to.include({ id: work.issue.id, verdict: "verified" });
    expect(JSON.stringify(entry?.data)).to.not.include("eventIds");
  });

  it("is contradicted by a failed command, and unproven by a command that others hide", async () => {
    for (const [line, code, verdict] of [
      ["npm test", 1, "contradicted"],
      ["npm test || true", 0, "unproven"],
      ["set -e\nnpm test\necho done", 0, "unproven"],
      ["set -euo pipefail; npm test | tail -5; echo done", 0, "unproven"],
      ["cd /tmp && npm test", 0, "unproven"],
    ] as const) {
      const work = await claimed({ commands: ["npm test"] });
      await work.session.edits("/srv/parcels/src/parser.ts");
      await work.session.runs(line, code);
      expect((await complete(work)).verdict, line).to.equal(verdict);
    }
  });

  it("is unproven by a command that ran in the background, was interrupted, or ran on another server", async () => {
    for (const [tool, response] of [
      ["Bash", { backgroundTaskId: "b1" }],
      ["Bash", { interrupted: true }],
      ["mcp__box__bash", {}],
    ] as const) {
      const work = await claimed({ commands: ["npm test"] });
      const output = { stdout: "ok", stderr: "", interrupted: false, isImage: false, ...response };
      await work.session.calls(tool, { command: "npm test" }, output);
      expect((await complete(work)).verdict, JSON.stringify([tool, response])).to.equal("unproven");
    }
  });

  it("applies to every way to complete an issue, and to commands that the completion names", async () => {
    const { space, issue, session } = await claimed({ commands: ["npm test"] });
    await session.runs("npm test");
    const read = (id: string) => proofOf({ space, issue: { id } });
    await space.does("issueUpdate", { id: issue.id, input: { stateId: space.states["Done"] } });
    expect((await read(issue.id)).verdict).to.equal("verified");
    const other = await space.issue();
    await space.does("issueBatchUpdate", { ids: [other.id], input: { stateId: space.states["Done"] } });
    expect((await read(other.id)).reason).to.include("No recorded session is linked");
    await space.does("issueUpdate", { id: issue.id, input: { stateId: space.states["Todo"] } });
    expect(await read(issue.id)).to.equal(null);
    const proof = await complete({ space, issue }, { proofCommands: ["npm run lint"] });
    expect(proof).to.include({ verdict: "unproven", reason: "`npm run lint` is not recorded." });
    await space.does("teamUpdate", { id: space.teamId, input: { proof: null } });
    await space.does("issueUpdate", { id: issue.id, input: { stateId: space.states["Todo"] } });
    expect(await complete({ space, issue })).to.equal(null);
  });

  it("refuses completion if the team requires it, unless a person overrides it, which the history shows", async () => {
    const work = await claimed({ commands: ["npm test"], required: true });
    const { space, issue } = work;
    const done = { stateId: space.states["Done"] };
    for (const refusal of [
      await space.refuses("issueComplete", { id: issue.id }),
      await space.refuses("issueUpdate", { id: issue.id, input: done }),
      await space.refuses("issueBatchUpdate", { ids: [issue.id], input: done }),
    ]) {
      expect(refusal).to.include({ code: "CONFLICT", field: "overrideProof" });
      expect(refusal.message).to.include(issue.identifier).and.include("`npm test` is not recorded");
    }
    const agent = await createAgent(space);
    const asked = await agent.refuses("issueComplete", { id: issue.id, overrideProof: true });
    expect(asked).to.include({ code: "INPUT_ERROR", field: "overrideProof" });
    const proof = await overrides(work);
    expect(proof).to.include({ verdict: "unproven" });
    expect(proof.overriddenBy).to.be.an("object");
    const { history } = (await space.gql(`{ issue(id: "${issue.id}") { history { nodes { event actor { id } } } } }`))
      .issue;
    expect(history.nodes[0]).to.deep.equal({ event: "issue.proofOverridden", actor: proof.overriddenBy });
  });

  it("cannot be overridden by a key or an app, in any way of completing an issue", async () => {
    const work = await claimed({ commands: ["npm test"], required: true });
    const { space, issue } = work;
    const { lease } = (await space.gql(`{ issue(id: "${issue.id}") { lease { fence } } }`)).issue;
    const stateId = space.states["Done"];
    const connected = await connectOauthApp(space);
    for (const credential of [space.apiKey, `Bearer ${connected.access_token}`])
      for (const fence of ["", `, fence: ${lease.fence}`])
        for (const completes of [
          `issueComplete(id: "${issue.id}", overrideProof: true${fence}) { success }`,
          `issueUpdate(id: "${issue.id}", input: { stateId: "${stateId}", overrideProof: true${fence} }) { success }`,
          `issueBatchUpdate(ids: ["${issue.id}"], input: { stateId: "${stateId}", overrideProof: true }) { success }`,
        ]) {
          const { errors } = await sendGraphQL(space.url, credential, { query: `mutation { ${completes} }` });
          expect(errors?.[0]?.extensions, completes).to.include({ code: "INPUT_ERROR", field: "overrideProof" });
        }
    const { client } = await connectSharedClient(space);
    const finish = {
      name: "finish_issue",
      arguments: { issue: issue.identifier, summary: "Done", overrideProof: true },
    };
    expect(await client.callTool(finish)).to.include({ isError: true });
    const shell = createAgentShell(space.url, space.apiKey);
    const { code, stderr } = await shell.run(["done", issue.identifier, "--override"]);
    expect([code, stderr]).to.satisfy(
      ([is, said]: any[]) => is === 2 && /there is no terminal for the answer/.test(said),
    );
    expect((await space.read(issue.id)).state.type).to.not.equal("completed");
    expect((await overrides(work)).overriddenBy).to.be.an("object");
  });

  it("is enforced for a completion with requireProof, where the team only shows the verdict", async () => {
    const work = await claimed({ commands: ["npm test"] });
    const refusal = await work.space.refuses("issueComplete", { id: work.issue.id, requireProof: true });
    expect(refusal.code).to.equal("CONFLICT");
    expect(refusal.message).to.include("`npm test` is not recorded");
    await work.session.runs("npm test");
    expect((await complete(work, { requireProof: true })).verdict).to.equal("verified");
    const free = await createWorkspace();
    expect(await complete({ space: free, issue: await free.issue() }, { requireProof: true })).to.equal(null);
  });

  it("includes sessions before the job links them, and no earlier claim of an unrecorded session", async () => {
    const space = await createWorkspace();
    await space.does("teamUpdate", { id: space.teamId, input: { proof: { commands: ["npm test"] } } });
    const [issue, id] = [await space.issue(), randomUUID()];
    await space.does("issueClaim", { input: { id: issue.id, sessionId: "never-recorded" } });
    await space.does("issueRelease", { id: issue.id });
    const { issueClaim } = await space.gql(
      `mutation { issueClaim(input: { id: "${issue.id}", sessionId: "${id}" }) { lease { fence } } }`,
    );
    const session = await startWorkingSession(space, "Mend it", undefined, id);
    await session.runs("npm test");
    const { fence } = issueClaim.lease;
    expect((await complete({ space, issue }, { fence, requireProof: true })).verdict).to.equal("verified");
    const other = await space.issue();
    await space.does("issueClaim", { input: { id: other.id, sessionId: session.id } });
    await space.does("issueRelease", { id: other.id });
    await space.does("issueClaim", { input: { id: other.id, sessionId: "never-recorded" } });
    const proof = await complete({ space, issue: other });
    expect(proof).to.deep.include({ verdict: "unproven" });
    expect(proof.reason).to.include("A session that claimed the issue has no recording");
  });

  it("applies to issues created or imported as completed, which no session can prove", async () => {
    const space = await createWorkspace();
    const rows = (title: string) => [
      { issue: { team: "ENG", title, state: "Done", createdAt: "2026-01-02T03:04:05.000Z", externalId: title } },
    ];
    const imports = async (title: string) => {
      const mutation = `mutation ($input: IssueBatchImportInput!) { issueBatchImport(input: $input) {
        results { status entityId message } } }`;
      const input = { source: "site", rows: rows(title) };
      return (await space.gql(mutation, { input })).issueBatchImport.results[0];
    };
    const done = { stateId: space.states["Done"] };
    for (const proof of [null, { commands: ["npm test"] }]) {
      await space.does("teamUpdate", { id: space.teamId, input: { proof } });
      const made = await space.issue(done);
      const { entityId } = await imports(`imported ${proof?.commands}`);
      for (const id of [made.id, entityId])
        expect((await proofOf({ space, issue: { id } }))?.verdict).to.equal(proof ? "unproven" : undefined);
      const open = await space.issue();
      expect(await proofOf({ space, issue: open })).to.equal(null);
    }
    await space.does("teamUpdate", { id: space.teamId, input: { proof: { commit: true, required: true } } });
    const refusal = await space.refuses("issueCreate", { input: { teamId: space.teamId, title: "x", ...done } });
    expect(refusal).to.deep.include({ code: "CONFLICT" });
    expect(await imports("refused")).to.include({ status: "refused" });
    expect((await space.issue()).id).to.be.a("string");
  });

  it("is set by owners, as plain commands only", async () => {
    const space = await createWorkspace();
    const member = await inviteGuest(space);
    const query = `mutation { teamUpdate(id: "${space.teamId}", input: { proof: { commands: ["true"] } }) { success } }`;
    const { errors } = await sendGraphQL(space.url, `Bearer ${member.accessToken}`, { query });
    expect(errors?.[0]?.extensions.code).to.equal("FORBIDDEN");
    for (const command of ["npm test && true", "npm test | tail", "npm test &", "$TEST", "", "a\nb", "x".repeat(201)]) {
      const refusal = await space.refuses("teamUpdate", {
        id: space.teamId,
        input: { proof: { commands: [command] } },
      });
      expect(refusal, command).to.include({ code: "INVALID_INPUT", field: "input.proof.commands.0" });
    }
    await space.does("teamUpdate", { id: space.teamId, input: { proof: { commands: ["npm  test"], push: true } } });
    const { team } = await space.gql(`{ team(id: "${space.teamId}") { proof } }`);
    expect(team.proof).to.deep.equal({ commands: ["npm  test"], commit: false, push: true, required: false });
  });

  it("keeps its verdict, and no event, when its session is deleted", async () => {
    const work = await claimed({ commands: ["npm test"] });
    await work.session.runs("npm test");
    await complete(work);
    await work.space.does("recordedSessionDelete", { id: work.session.id });
    expect(await proofOf(work)).to.deep.include({ verdict: "verified", events: [] });
  });
});
