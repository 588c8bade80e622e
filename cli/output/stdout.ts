/** A reader that has seen enough, such as `head`, closes the pipe: that is no failure of ours. */
export function endWithReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
}
