#!/usr/bin/env node
// Starts the command line. In a checkout with changed sources, the build runs first.
import "../scripts/node-version.js";
import { existsSync } from "node:fs";

if (existsSync(new URL("../server/main.ts", import.meta.url)))
  await (await import("../scripts/build.js")).build("sources-cli.sha256");
await import("../dist/cli/main.js");
