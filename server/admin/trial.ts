// `restore` of a scheduled backup's trial. It ends with the server that started it, whose end of the pipe closes.
process.stdin.resume().once("close", () => process.exit(1));
await import("./restore-file.ts");
// The pipe alone would keep the process alive.
process.stdin.removeAllListeners("close").destroy();
