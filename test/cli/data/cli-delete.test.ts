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

  it("lists with --dry-run what it would delete, and deletes what is chosen", async () => {
    const [one, other, kept] = [await session("fox"), await session("fox"), await session("owl")];
    const { sessions } = await shell.tells("session", "delete", "--agent", "fox", "--dry-run");
    expect(sessions.map(({ id }: { id: string }) => id)).to.have.members([one, other]);
    expect(await left()).to.have.members([one, other, kept]);
    const told = await shell.tells("session", "delete", "--agent", "fox", "--yes");
    expect([told, await left()]).to.deep.equal([{ deleted: 2, complete: true }, [kept]]);
    expect(await shell.says("session", "delete", kept, "--yes")).to.equal("Deleted 1 session.\n");
    expect(await left()).to.deep.equal([]);
  });

  it("deletes nothing that nobody chose, and nothing for members", async () => {
    const id = await session("fox");
    const agent = shellOf(space.url, (await freshAgent(space, "Ada")).token);
    expect((await shell.run(["session", "delete"])).code).to.equal(2);
    expect((await agent.run(["session", "delete", id, "--yes"])).code).to.equal(5);
    expect(await left()).to.deep.equal([id]);
  });
});
