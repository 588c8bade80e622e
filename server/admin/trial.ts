// Runs `restore` to try out a scheduled backup. The process exits when its parent server ends, because the server's end
// of the pipe on stdin then closes.
process.stdin.resume().once("close", () => process.exit(1));
await import("./restore-file.ts");
// Stops listening on stdin, because the open pipe would keep the process alive.
process.stdin.removeAllListeners("close").destroy();
