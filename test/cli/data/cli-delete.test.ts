import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { type AgentShell, createAgentShell } from "../../support/cli/cli.ts";
import { createEvent } from "../../support/recording/ingest.ts";
import { sendRecording } from "../../support/recording/recordings.ts";
import { createAgent } from "../../support/tracker/work.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

describe("trackway session delete", () => {
  let space: Workspace;
  let shell: AgentShell;
  before(async () => {
    space = await createWorkspace();
    shell = createAgentShell(space.url, space.apiKey);
  });

  /** Records a session of an agent. Returns the id. */
  async function session(primitive_name: string): Promise<string> {
    const body = createEvent({ primitive_name });
    await sendRecording(space, { path: "/api/v1/capture-event", body });
    return body.session_id;
  }
  const left = async () =>
    (await space.gql("{ recordedSessions { nodes { id } } }")).recordedSessions.nodes.map(({ id }: any) => id);

  const told = async (...args: string[]) => {
    const { code, stdout, stderr } = await shell.run(["session", "delete", ...args]);
    return { code, stdout, stderr };
  };

  it("with --dry-run lists the sessions to delete, and without it deletes them", async () => {
    const [one, other, kept] = [await session("fox"), await session("fox"), await session("owl")];
    const { sessions } = await shell.tells("session", "delete", "--agent", "fox", "--since", "7d", "--dry-run");
    expect(sessions.map(({ id }: { id: string }) => id)).to.have.members([one, other]);
    expect(await left()).to.have.members([one, other, kept]);
    const chosen = ["--agent", "fox", "--since", "2026-01-01"];
    const { code, stdout, stderr } = await told(...chosen, "--json", "--yes");
    expect([code, JSON.parse(stdout)]).to.deep.equal([0, { deleted: 2, kept: 0, complete: true }]);
    expect(stderr).to.contain("2 sessions to delete.");
    const ends = stderr.match(/^(first|last): \S+/gm)?.map((line) => line.split(": ")[1]);
    expect(ends).to.have.members([one, other]);
    expect(await left()).to.deep.equal([kept]);
    expect(await shell.says("session", "delete", kept, kept, "--yes")).to.equal("Deleted 1 session.\n");
    expect(await left()).to.deep.equal([]);
  });

  it("refuses a relative time with --yes, and prints the absolute time to paste", async () => {
    const id = await session("fox");
    for (const args of [
      ["--until", "0d"],
      ["--since", "P1D"],
      ["--since", "2026-01-01", "--until", "today"],
    ]) {
      const { code, stderr } = await told(...args, "--yes");
      expect([code, stderr]).to.satisfy(
        ([exit, text]: [number, string]) => exit === 2 && text.includes(args.at(-1) ?? ""),
      );
      const pasted = /(?:--(?:since|until) \d{4}-\d\d-\d\dT[\d:.]+Z ?)+/.exec(stderr)?.[0].trim().split(" ") ?? [];
      expect(pasted, stderr).to.have.length(args.length);
      const none = await told(...pasted, "--agent", "none", "--yes");
      expect(none).to.deep.equal({ code: 0, stdout: "Deleted 0 sessions.\n", stderr: "" });
    }
    const { code, stderr } = await told("--agent", "fox", "--yes");
    expect([code, stderr.includes("ids, or an absolute")]).to.deep.equal([2, true]);
    expect((await told("--agent", "fox", "--until", "2099-01-01")).code, "nobody confirms it").to.equal(2);
    expect(await left()).to.deep.equal([id]);
    await told(id, "--yes");
  });

  it("deletes only sessions that it listed: none that started or left the state since", async () => {
    const [shown, ended] = [await session("fox"), await session("fox")];
    // Proxy before the server: after the list is read, more sessions arrive before the first deletion.
    let late: string | undefined;
    const proxy = createServer(async (request, reply) => {
      const body = await text(request);
      if (body.includes("recordedSessionsDelete") && !late) late = await session("fox");
      const headers = { "content-type": "application/json", authorization: String(request.headers.authorization) };
      const answer = await fetch(`${space.url}${request.url}`, {
        method: request.method ?? "GET",
        headers,
        ...(body && { body }),
      });
      reply.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const through = createAgentShell(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, space.apiKey);
    const args = ["session", "delete", "--agent", "fox", "--until", "2099-01-01", "--yes", "--json"];
    expect(await through.tells(...args.slice(0, -1))).to.deep.equal({ deleted: 2, kept: 0, complete: true });
    proxy.close();
    expect(late).to.be.a("string");
    expect(await left())
      .to.deep.equal([late])
      .and.to.not.include.members([shown, ended]);
    await told(String(late), "--yes");
  });

  it("deletes nothing without a selection, or with the key of an agent", async () => {
    const id = await session("fox");
    const agent = createAgentShell(space.url, (await createAgent(space, "Ada")).token);
    expect((await shell.run(["session", "delete"])).code).to.equal(2);
    expect((await agent.run(["session", "delete", id, "--yes"])).code).to.equal(5);
    expect(await left()).to.deep.equal([id]);
  });
});
