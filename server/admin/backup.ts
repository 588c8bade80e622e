import { stat } from "node:fs/promises";
import { writeFileWhole } from "../whole-file.ts";
import { cli, fileArgument } from "./cli.ts";
import { reach } from "./reach.ts";

/** `npm run backup -- FILE` */
await cli(async (config, args) => {
  const file = fileArgument(args, "npm run backup -- FILE (it is compressed: name it .jsonl.gz)");
  const operator = await reach(config);
  try {
    await writeFileWhole(file, (target) => operator.backup(target));
  } finally {
    await operator.close();
  }
  return `${file}: ${(await stat(file)).size} bytes. It holds everything but the server's secret; keep both safe.`;
});
