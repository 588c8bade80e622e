import { endWithReader } from "./output/stdout.ts";
import { run } from "./run.ts";

endWithReader();
const exit = await run(process.argv.slice(2));
if (exit !== undefined) process.exitCode = exit;
