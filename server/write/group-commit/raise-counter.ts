import { compiled, knex } from "../../../db/builder.ts";
import { checkSql } from "../../../db/checks.ts";
import type { Transaction } from "../../../db/open.ts";
import { notFound } from "../../errors.ts";
import type { RowCache } from "./row-cache.ts";

/**
 * Takes the lock of an organization's writers, and its next change number. With cached rows the statement fails if another
 * change came after them; without, it learns whether there is a webhook.
 */
export async function raiseCounter(
  trx: Transaction,
  organizationId: string,
  { version, known }: RowCache,
): Promise<number> {
  const [sync] = await trx.query<{ lastSyncId: number; hooked?: boolean }>(
    version === undefined ? raiseByOne({ organizationId }) : raiseFrom({ organizationId, version }),
  );
  if (!sync) throw notFound("organization", organizationId);
  // The transaction itself may have registered one meanwhile.
  known.hooked ??= sync.hooked;
  return sync.lastSyncId;
}

const raiseByOne = compiled("raise-sync", ["organizationId"], ({ organizationId }) =>
  knex("sync")
    .where({ organizationId })
    .update({ lastSyncId: knex.raw(`"lastSyncId" + 1`) }, [
      "lastSyncId",
      knex.raw("exists (?) as hooked", [
        knex("webhook").where({ organizationId, enabled: true }).select(knex.raw("1")),
      ]),
    ] as string[]),
);

const raiseFrom = compiled("raise-sync-from", ["organizationId", "version"], ({ organizationId, version }) =>
  knex("sync")
    .where({ organizationId })
    .update(
      {
        lastSyncId: knex.raw(`case when ${checkSql("cacheIsCurrent", `"lastSyncId" = ?`)} then "lastSyncId" + 1 end`, [
          version,
        ]),
      },
      "lastSyncId",
    ),
);
