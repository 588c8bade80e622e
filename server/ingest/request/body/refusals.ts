import { AppError } from "../../../errors.ts";

export const bodyTooLarge = (limit: number) =>
  new AppError("too_large", `The body must be at most ${limit} bytes, after inflation`, {
    tag: "payload_too_large",
    limit,
  });

/**
 * Maximum chunks per body, as sent. Each chunk costs work, however small. A body of 10 MiB in full packets has 7,200
 * chunks.
 */
export const MAX_PIECES = 65_536;
export const tooManyPieces = () =>
  new AppError("input", `The body must come in at most ${MAX_PIECES} chunks; send larger ones`, {
    tag: "too_many_chunks",
    limit: MAX_PIECES,
  });

/** Error for a body that stalls. */
export const tooLate = () =>
  new AppError("timeout", "The body did not arrive in time", {
    tag: "request_timeout",
    headers: { Connection: "close" },
  });
export const cutShort = () => new AppError("input", "The request was cut short", { tag: "aborted" });
export const corruptBody = () => new AppError("input", "The compressed body is corrupt", { tag: "invalid_encoding" });
