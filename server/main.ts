// Everything else is imported after the check: in an old Node.js it would fail before a line of it had run.
import "#node-version";

await import("./run.ts");
