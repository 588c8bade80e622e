import { readConfig } from "./config.ts";
import { serveHttp } from "./http/serve.ts";
import { startOrExit } from "./start.ts";

await startOrExit(() => serveHttp(readConfig(process.argv.slice(2), process.env)));
