import type { Write } from "../write.ts";
import { actorOf } from "./actor.ts";
import type { Known } from "./known.ts";
import type { SharedTransaction } from "./shared-transaction.ts";
import { urlKeyOf } from "./url-key.ts";

/** What the log of changes is made of beside the rows: who made the changes only where that is known. */
export interface Told {
  urlKey: string;
  actor: string | undefined;
  known: Known;
}

/** Finds it for what a mutation changed. */
export async function toldOf(write: Write, shared: SharedTransaction): Promise<Told> {
  const { known } = shared.rows;
  if (write.entries.length === 0) return { urlKey: "", actor: undefined, known };
  const [urlKey, actor] = await Promise.all([urlKeyOf(write.trx, shared), actorOf(write, shared)]);
  return { urlKey, actor, known };
}
