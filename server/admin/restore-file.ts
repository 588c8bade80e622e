import { parseArgs } from "node:util";
import { loadServerSecret } from "../secret.ts";
import { formatDeletedCounts } from "./backup/deleted-text.ts";
import { readBackup } from "./backup/lines.ts";
import { restoreBackup } from "./backup/restore.ts";
import { openConfiguredDatabase, parseSingleFileArgument, runOperatorCommand } from "./reach.ts";

const OTHER_SECRET = `
The backup was made under another server secret: access tokens end, and webhook secrets do not open. Set JWT_SECRET to the
old one (on the embedded database: the content of DATA_DIR/jwt-secret), or give each webhook a new secret.`;

const USAGE = "npm run restore -- FILE [--deletions LATER] (LATER: a later backup, or one made with --deletions)";

/** `npm run restore -- FILE` */
await runOperatorCommand(
  () => USAGE,
  async (config, args) => {
    const { values, positionals } = parseArgs({
      args,
      options: { deletions: { type: "string" } },
      allowPositionals: true,
    });
    const file = parseSingleFileArgument(positionals, USAGE);
    const later = values.deletions === undefined ? undefined : readBackup(values.deletions);
    const db = await openConfiguredDatabase(config);
    try {
      const restored = await restoreBackup(db, readBackup(file), await loadServerSecret(config), later);
      const { rows, createdAt, sameSecret } = restored;
      return `${rows} rows of ${createdAt} restored.${formatDeletedCounts(restored.deleted)}${sameSecret ? "" : OTHER_SECRET}`;
    } finally {
      await db.close();
    }
  },
);
