import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { type Shell, shellOf } from "../../support/cli/cli.ts";
import { anEvent } from "../../support/recording/ingest.ts";
import { record } from "../../support/recording/recordings.ts";
import { freshAgent } from "../../support/tracker/work.ts";
import { freshWorkspace, type Workspace } from "../../support/workspace.ts";

describe("trackway session delete", function () {
  this.timeout(180_000);
  let space: Workspace;
  let shell: Shell;
  before(async () => {
    space = await freshWorkspace();
    shell = shellOf(space.url, space.apiKey);
  });

  /** Records a session of an agent; its id. */
  async function session(primitive_name: string): Promise<string> {
    const body = anEvent({ primitive_name });
    await record(space, { path: "/api/v1/capture-event", body });
    return body.session_id;
  }
  const left = async () =>
    (await space.gql("{ recordedSessions { nodes { id } } }")).recordedSessions.nodes.map(({ id }: any) => id);

  const told = async (...args: string[]) => {
    const { code, stdout, stderr } = await shell.run(["session", "delete", ...args]);
    return { code, stdout, stderr };
  };

  it("lists with --dry-run what it would delete, shows it, and deletes what is chosen", async () => {
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

  it("takes no time with --yes that means another one whenever it runs, and prints the absolute one to paste", async () => {
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

  it("deletes no more than it showed: not what began meanwhile, nor what no longer is in the state", async () => {
    const [shown, ended] = [await session("fox"), await session("fox")];
    // A proxy before the server: whatever was listed, more arrives before the first deletion.
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
    const through = shellOf(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, space.apiKey);
    const args = ["session", "delete", "--agent", "fox", "--until", "2099-01-01", "--yes", "--json"];
    expect(await through.tells(...args.slice(0, -1))).to.deep.equal({ deleted: 2, kept: 0, complete: true });
    proxy.close();
    expect(late).to.be.a("string");
    expect(await left())
      .to.deep.equal([late])
      .and.to.not.include.members([shown, ended]);
    await told(String(late), "--yes");
  });

  it("deletes nothing that nobody chose, and nothing for members", async () => {
    const id = await session("fox");
    const agent = shellOf(space.url, (await freshAgent(space, "Ada")).token);
    expect((await shell.run(["session", "delete"])).code).to.equal(2);
    expect((await agent.run(["session", "delete", id, "--yes"])).code).to.equal(5);
    expect(await left()).to.deep.equal([id]);
  });
});
