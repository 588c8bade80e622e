#!/usr/bin/env node
// The command line. In a checkout it is built first where its sources have changed.
import "../scripts/node-version.js";
import { build } from "../scripts/build.js";

await build();
await import("../dist/cli/main.js");
