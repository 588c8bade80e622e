import { cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbedded } from "../../db/embedded/open.ts";

const template = () => join(tmpdir(), "empty-database");

/** Makes the embedded database that those of test servers are copies of: to make one anew takes three seconds of CPU. */
export async function makeEmptyDatabase(): Promise<void> {
  const database = await openEmbedded(template(), (message) => console.warn(message));
  await database.close();
}

/** Puts an embedded database that is migrated and has no rows where a server with this DATA_DIR looks for its own. */
export const copyEmptyDatabase = (dataDir: string): Promise<void> =>
  cp(join(template(), "database"), join(dataDir, "database"), { recursive: true });
