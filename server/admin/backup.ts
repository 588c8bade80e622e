import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { writeWholeFile } from "../../system/whole-file.ts";
import { inputError } from "../errors.ts";
import { connectToServerOrDatabase, parseSingleFileArgument, runOperatorCommand } from "./reach.ts";

const USAGE = "npm run backup -- FILE [--deletions] (it is compressed: name it .jsonl.gz)";

/**
 * `npm run backup -- FILE`. With `--deletions` the file lists only deletions;
 * `restore` applies the list to an older backup.
 */
await runOperatorCommand(
  () => USAGE,
  async (config, args) => {
    const part = args.includes("--deletions") ? "deletions" : "all";
    const file = parseSingleFileArgument(
      args.filter((each) => each !== "--deletions"),
      USAGE,
    );
    const folder = resolve(dirname(file));
    if (!existsSync(folder)) throw inputError(`there is no folder ${folder}: create it, or name another FILE`);
    const operator = await connectToServerOrDatabase(config);
    try {
      await writeWholeFile(file, (target) => operator.backup(target, part), { namedBy: "user", mode: 0o600 });
    } finally {
      await operator.close();
    }
    const written = await stat(file);
    const bytes = written.isFile() ? `${file}: ${written.size} bytes.` : `${file}: written.`;
    if (part === "deletions") return `${bytes} It holds hashes of what was deleted; restore takes it with --deletions.`;
    return `${bytes} It holds everything but the server's secret; keep both safe.`;
  },
);
