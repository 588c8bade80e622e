import { model } from "../../resources/index.ts";
import { removeDeletedRows } from "../../resources/recorded/deletion/remove.ts";
import type { Runtime } from "../../runtime.ts";
import { systemScope } from "../../scope.ts";
import { eachOrganization } from "../organizations.ts";

/** Removes what is left of deleted sessions and users. Answers how many deletions it ended. */
export const removeDeletedRecordings = (runtime: Runtime): Promise<number> =>
  eachOrganization(runtime.db, { table: "recorded_deletion" }, (organizationId) =>
    removeDeletedRows(systemScope(runtime, organizationId), model),
  );
