#!/usr/bin/env node
// The command line. In a checkout it is built first where its sources have changed.
import "../scripts/node-version.js";
import { existsSync } from "node:fs";

if (existsSync(new URL("../server/main.ts", import.meta.url)))
  await (await import("../scripts/build.js")).build("sources-cli.sha256");
await import("../dist/cli/main.js");
