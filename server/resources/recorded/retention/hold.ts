import { z } from "zod";
import { knex, toStatement } from "../../../../db/builder.ts";
import { isUuid } from "../../../../formats/uuid.ts";
import { audit } from "../../../accounts/audit.ts";
import { notFound } from "../../../errors.ts";
import type { Result, Write } from "../../../write/write.ts";
import type { Mutation } from "../../resource.ts";

/** Characters of a reason. */
const REASON = 512;
const reason = z.string().trim().min(1, "must say why").max(REASON, `must be at most ${REASON} characters`);
const HoldInput = z.strictObject({ reason });

/** Sets who holds a session, and why. @throws notFound for a session that there is not */
async function setHold(write: Write, id: string, why: string | null): Promise<Result> {
  const { organizationId, userId } = write.scope;
  const held = { hold_reason: why, held_by: why && userId, held_at: why && write.at };
  const own = knex("recorded_session").where({ organization_id: organizationId, session_id: id });
  const rows = isUuid(id) ? await write.trx.query(toStatement(own.update(held, ["session_id"]))) : [];
  if (rows.length === 0) throw notFound("recorded session", id);
  write.direct = true;
  const event = `recordedSession.${why === null ? "released" : "held"}`;
  await audit(write.trx, { event, organizationId, accountId: userId, detail: { id } });
  return { id };
}

/** The mutations by which owners keep a session, however old it gets. */
export const holds: Record<string, Mutation> = {
  recordedSessionHold: {
    needs: "owner",
    input: HoldInput,
    run: (write, { id, input }) => setHold(write, String(id), (input as z.infer<typeof HoldInput>).reason),
  },
  recordedSessionRelease: { needs: "owner", run: (write, { id }) => setHold(write, String(id), null) },
};
