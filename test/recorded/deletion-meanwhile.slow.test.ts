import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { tablesWith } from "../support/db/tables-with.ts";
import { event, marker, remove, session } from "../support/recording/deletions.ts";
import { record } from "../support/recording/recordings.ts";
import { sharedServer } from "../support/server.ts";
import { freshWorkspace, type Workspace } from "../support/workspace.ts";

describe("deletion of a session that is written to, or is large,", function () {
  this.timeout(120_000);

  /** Writers that send to one session while it is deleted, and what is left of it. */
  async function race(erase: (space: Workspace, id: string) => Promise<unknown>): Promise<string[]> {
    const space = await freshWorkspace();
    const mark = marker();
    const one = session("u-1");
    await record(space, one);
    let going = true;
    const write = async () => {
      while (going) {
        const events = Array.from({ length: 5 }, () => event(one.body.session_id, mark).body);
        await record(space, { path: "/api/v1/capture-events", body: { events } });
      }
    };
    const writers = Array.from({ length: 4 }, write);
    await new Promise((resolve) => setTimeout(resolve, 150));
    await erase(space, one.body.session_id);
    await new Promise((resolve) => setTimeout(resolve, 150));
    going = false;
    await Promise.all(writers);
    return tablesWith(mark);
  }

  it("leaves nothing beside writers of the same session", async () => {
    for (let round = 0; round < 3; round += 1) {
      expect(await race((space, id) => remove(space, "recordedSessionDelete", id))).to.deep.equal([]);
    }
  });

  it("would leave something if rows alone were deleted", async () => {
    const { db } = (await sharedServer()).runtime;
    let values: string[] = [];
    const deleteRows = async () => {
      for (const table of ["recorded_event", "recorded_session", "recorded_delta"]) {
        await db.query({ text: `delete from ${table} where organization_id = $1 and session_id = $2`, values });
      }
    };
    const left = await race(({ organizationId }, id) => {
      values = [organizationId, id];
      return deleteRows();
    });
    await deleteRows();
    expect(left).to.deep.equal(["recorded_event"]);
  });

  it("takes a session of many events in slices", async () => {
    const space = await freshWorkspace();
    const mark = marker();
    const id = randomUUID();
    for (let batch = 0; batch < 10; batch += 1) {
      const events = Array.from({ length: 500 }, () => event(id, mark).body);
      await record(space, { path: "/api/v1/capture-events", body: { events } });
    }
    expect(await remove(space, "recordedSessionDelete", id)).to.include({ complete: true });
    expect(await tablesWith(mark)).to.deep.equal([]);
  });
});
