import { loadSecret } from "../secret.ts";
import { restore } from "./backup/restore.ts";
import { readBackup } from "./backup-file.ts";
import { cli, fileArgument } from "./cli.ts";
import { openFor } from "./reach.ts";

const OTHER_SECRET = `
The backup was made under another server secret: access tokens end, and webhook secrets do not open. Set JWT_SECRET to the
old one (on the embedded database: the content of DATA_DIR/jwt-secret), or give each webhook a new secret.`;

/** `npm run restore -- FILE` */
await cli(async (config, args) => {
  const file = fileArgument(args, "npm run restore -- FILE");
  const db = await openFor(config);
  try {
    const { rows, createdAt, sameSecret } = await restore(db, readBackup(file), await loadSecret(config));
    return `${rows} rows of ${createdAt} restored.${sameSecret ? "" : OTHER_SECRET}`;
  } finally {
    await db.close();
  }
});
