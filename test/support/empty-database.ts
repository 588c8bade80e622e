import { cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbedded } from "../../db/embedded/open.ts";

/** The variable that tells the processes of a run where the database is that they copy. */
const PLACE = "TEST_EMPTY_DATABASE";

/** Makes the embedded database that those of test servers are copies of: to make one anew takes three seconds of CPU. */
export async function makeEmptyDatabase(folder = tmpdir()): Promise<void> {
  if (process.env[PLACE]) return; // Several runs may share it.
  const place = join(folder, "empty-database");
  const database = await openEmbedded(place, (message) => console.warn(message));
  await database.close();
  process.env[PLACE] = join(place, "database");
}

/**
 * Puts an embedded database that is migrated and has no rows where a server with this DATA_DIR looks for its own. Outside
 * of a test run nothing is put there, and the server makes it.
 */
export async function copyEmptyDatabase(dataDir: string): Promise<void> {
  const place = process.env[PLACE];
  if (place) await cp(place, join(dataDir, "database"), { recursive: true });
}
