import { endWithoutOutput, guardStreams } from "../system/streams.ts";
import { hasSentChange } from "./effect.ts";
import { printLines } from "./output/print.ts";
import { VERSION } from "./version.ts";

const args = process.argv.slice(2);
guardStreams((error, result) => {
  // A reader such as `head` closes the pipe when it has read enough. A closed pipe is an error only if the reader
  // misses the result of a change.
  if (error.code === "EPIPE" && !hasSentChange()) process.exit();
  endWithoutOutput("trackway", error, result);
});
// Prints the version without loading the command-line parser.
if (args.length === 1 && ["--version", "-V"].includes(String(args[0]))) printLines(VERSION);
else {
  const { runCommandLine: run } = await import("./run.ts");
  const exit = await run(args);
  if (exit !== undefined) process.exitCode = exit;
}
