import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { inputError } from "../errors.ts";
import { writeFileWhole } from "../whole-file.ts";
import { cli, fileArgument, reach } from "./reach.ts";

const USAGE = "npm run backup -- FILE [--deletions] (it is compressed: name it .jsonl.gz)";

/** `npm run backup -- FILE`; with `--deletions` it holds what was deleted, for `restore` of an older one. */
await cli(
  () => USAGE,
  async (config, args) => {
    const part = args.includes("--deletions") ? "deletions" : "all";
    const file = fileArgument(
      args.filter((each) => each !== "--deletions"),
      USAGE,
    );
    const folder = resolve(dirname(file));
    if (!existsSync(folder)) throw inputError(`there is no folder ${folder}: create it, or name another FILE`);
    const operator = await reach(config);
    try {
      await writeFileWhole(file, (target) => operator.backup(target, part));
    } finally {
      await operator.close();
    }
    const bytes = `${file}: ${(await stat(file)).size} bytes.`;
    if (part === "deletions") return `${bytes} It holds hashes of what was deleted; restore takes it with --deletions.`;
    return `${bytes} It holds everything but the server's secret; keep both safe.`;
  },
);
