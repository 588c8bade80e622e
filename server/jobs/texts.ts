import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { TEXT_TABLES, writeTexts } from "../../db/texts.ts";

/** What changed in so long is looked at: the job comes every hour. */
const LOOKED_BACK = "2 hours";

/**
 * Mends the texts that searches read, of what changed lately. A server of an older release, which runs on beside this one
 * while it is replaced, writes rows and no texts.
 */
export async function mendTexts(db: Database): Promise<void> {
  const organizations = await db.query<{ id: string }>(toStatement(knex("organization").select("id")));
  for (const { id } of organizations) {
    for (const table of TEXT_TABLES) {
      const text = writeTexts(table, `r."organizationId" = $1 and r."updatedAt" > now() - interval '${LOOKED_BACK}'`);
      await db.query({ text, values: [id] });
    }
  }
}
