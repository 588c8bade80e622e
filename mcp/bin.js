#!/usr/bin/env node
// Plain JavaScript, so that npx can start it: registers the TypeScript loader, then runs the program.
import { register } from "tsx/esm/api";

register();
await import("./main.ts");
