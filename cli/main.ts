import { print } from "./output/print.ts";
import { VERSION } from "./version.ts";

const args = process.argv.slice(2);
// A reader that has seen enough, such as `head`, closes the pipe: that is no failure of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});
// The version needs no parser of command lines.
if (args.length === 1 && ["--version", "-V"].includes(String(args[0]))) print(VERSION);
else {
  const { run } = await import("./run.ts");
  const exit = await run(args);
  if (exit !== undefined) process.exitCode = exit;
}
