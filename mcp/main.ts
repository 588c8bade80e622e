import { readConfig } from "./config.ts";
import { startOrExit } from "./start.ts";
import { serveStdio } from "./stdio.ts";

const [command, ...rest] = process.argv.slice(2);

await startOrExit(async () => {
  if (command === "http") return (await import("./http/serve.ts")).serveHttp(readConfig(rest, process.env));
  if (command === "check") return (await import("./check.ts")).check(readConfig(rest, process.env));
  return serveStdio(readConfig(process.argv.slice(2), process.env));
});
