import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { findTablesWith } from "../support/db/tables-with.ts";
import { createMarker, event, removeSessions, session } from "../support/recording/deletions.ts";
import { sendRecording } from "../support/recording/recordings.ts";
import { startSharedServer } from "../support/server.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

describe("deleting a session during writes or with many events", () => {
  /** Sends reports to one session from several writers while the session is deleted. Returns the remaining rows. */
  async function race(erase: (space: Workspace, id: string) => Promise<unknown>): Promise<string[]> {
    const space = await createWorkspace();
    const mark = createMarker();
    const one = session("u-1");
    await sendRecording(space, one);
    let going = true;
    const write = async () => {
      while (going) {
        const events = Array.from({ length: 5 }, () => event(one.body.session_id, mark).body);
        await sendRecording(space, { path: "/api/v1/capture-events", body: { events } });
      }
    };
    const writers = Array.from({ length: 4 }, write);
    await new Promise((resolve) => setTimeout(resolve, 150));
    await erase(space, one.body.session_id);
    await new Promise((resolve) => setTimeout(resolve, 150));
    going = false;
    await Promise.all(writers);
    return findTablesWith(mark);
  }

  it("leaves no rows while writers send to the same session", async () => {
    for (let round = 0; round < 3; round += 1) {
      expect(await race((space, id) => removeSessions(space, "recordedSessionDelete", id))).to.deep.equal([]);
    }
  });

  it("would leave rows if only the rows were deleted (control)", async () => {
    const { db } = (await startSharedServer()).runtime;
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

  it("deletes a session with many events in slices", async () => {
    const space = await createWorkspace();
    const mark = createMarker();
    const id = randomUUID();
    for (let batch = 0; batch < 10; batch += 1) {
      const events = Array.from({ length: 500 }, () => event(id, mark).body);
      await sendRecording(space, { path: "/api/v1/capture-events", body: { events } });
    }
    expect(await removeSessions(space, "recordedSessionDelete", id)).to.include({ complete: true });
    expect(await findTablesWith(mark)).to.deep.equal([]);
  });
});
