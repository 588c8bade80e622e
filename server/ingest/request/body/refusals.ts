import { AppError } from "../../../errors.ts";

export const bodyTooLargeError = (limit: number) =>
  new AppError("too_large", `The body must be at most ${limit} bytes, after inflation`, {
    tag: "payload_too_large",
    limit,
  });

/**
 * Maximum number of chunks in a body, before decompression. The number is limited because even a small chunk costs
 * work. For comparison, a body of 10 MiB in full packets has 7,200 chunks.
 */
export const MAX_BODY_CHUNKS = 65_536;
export const tooManyBodyChunksError = () =>
  new AppError("input", `The body must come in at most ${MAX_BODY_CHUNKS} chunks; send larger ones`, {
    tag: "too_many_chunks",
    limit: MAX_BODY_CHUNKS,
  });

/** Error for a body that stalls. */
export const bodyTimeoutError = () =>
  new AppError("timeout", "The body did not arrive in time", {
    tag: "request_timeout",
    headers: { Connection: "close" },
  });
export const requestAbortedError = () => new AppError("input", "The request body is incomplete", { tag: "aborted" });
export const corruptBodyError = () =>
  new AppError("input", "The compressed body is corrupt", { tag: "invalid_encoding" });
