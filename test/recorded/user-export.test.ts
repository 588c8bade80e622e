import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { createEvent } from "../support/recording/ingest.ts";
import { createRecordings, sendRecording } from "../support/recording/recordings.ts";
import { startSharedServer, type Tenant } from "../support/server.ts";
import { createWorkspace } from "../support/workspace.ts";

const EXPORT = `query ($id: String!, $after: String) { recordedUserExport(id: $id, after: $after) { lines endCursor } }`;

/** Reads the type and id of every line of a user's export, and the number of pages. */
async function exported({ gql }: Pick<Tenant, "gql">, id: string): Promise<{ found: string[]; pages: number }> {
  const found: string[] = [];
  let pages = 0;
  for (let after: string | null | undefined; after !== null; pages += 1) {
    const { lines, endCursor } = (await gql(EXPORT, { id, after })).recordedUserExport;
    expect(lines.length).to.be.within(0, 501);
    expect(lines.join("").length).to.be.below(3_000_000);
    for (const line of lines) {
      const { type, id: own } = JSON.parse(line);
      found.push(`${type} ${own}`);
    }
    after = endCursor;
  }
  return { found, pages };
}

describe("recordedUserExport", () => {
  it("contains all data about one user in pages, and no data about others", async () => {
    const space = await createWorkspace();
    const [mark, other] = [randomUUID(), randomUUID()];
    const expected = [`user ${mark}`];
    for (let n = 0; n < 25; n += 1) {
      const body = { session_id: randomUUID(), user_data: { user_id: n % 5 ? mark : other, trait: mark } };
      await sendRecording(space, { path: "/api/v1/capture-session", body: { ...body, metadata: { n } } });
      const events = Array.from({ length: n === 1 ? 600 : 2 }, () =>
        createEvent({ session_id: body.session_id, args: n === 2 ? "x".repeat(700_000) : "args", metadata: { n } }),
      );
      for (let from = 0; from < events.length; from += 300) {
        const batch = { events: events.slice(from, from + 300) };
        expect((await sendRecording(space, { path: "/api/v1/capture-events", body: batch })).status).to.equal(202);
      }
      if (n % 5) expected.push(`session ${body.session_id}`, ...events.map(({ event_id }) => `event ${event_id}`));
    }
    const { found, pages } = await exported(space, mark);
    expect(found).to.have.length(expected.length).and.to.have.members(expected);
    expect(pages).to.be.within(2, 8);
    const { errors } = await space.graphql(EXPORT, { id: mark, after: "nonsense" });
    expect(errors?.[0]?.extensions).to.include({ code: "INPUT_ERROR", field: "after" });
  });

  it("contains the observations that hooks and telemetry left of the user's sessions, once each", async () => {
    const space = await createWorkspace();
    for (const each of createRecordings("x")) await sendRecording(space, each);
    const { recordedUsers } = await space.gql("{ recordedUsers { nodes { id } } }");
    const ids: string[] = [];
    for (const { id } of recordedUsers.nodes) {
      const { found } = await exported(space, id);
      ids.push(...found.flatMap((line) => (line.startsWith("observation ") ? line.slice("observation ".length) : [])));
    }
    const text = `select o.batch_id as id from recorded_observation o join recorded_session s
      on s.organization_id = o.organization_id and s.session_id = o.session_id
      where o.organization_id = $1 and s.user_id is not null`;
    const { db } = (await startSharedServer()).runtime;
    const held = await db.query<{ id: string }>({ text, values: [space.organizationId] });
    expect(held.length).to.be.above(10);
    expect(ids).to.include.members(held.map(({ id }) => id));
    expect(new Set(ids).size).to.equal(ids.length);
  });
});
