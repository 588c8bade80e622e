// Everything else is imported after the check: in an old Node.js it would fail before a line of it had run.
import "#node-version";

// The first process of a container gets no signal that it does not handle: it could not be stopped before it has started. What
// is under way is as after a kill, which the next start continues.
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => process.exit(0));

await import("./run.ts");
