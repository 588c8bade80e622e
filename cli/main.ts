import { run } from "./run.ts";

// A reader that has seen enough, such as `head`, closes the pipe: that is no failure of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});
const exit = await run(process.argv.slice(2));
if (exit !== undefined) process.exitCode = exit;
