import { AppError } from "../../../errors.ts";

/** Refuses what is longer than a body may be. */
export const bodyTooLarge = (limit: number) =>
  new AppError("too_large", `The body must be at most ${limit} bytes, after inflation`, {
    tag: "payload_too_large",
    limit,
  });

/** Pieces of one body, as they were sent: each costs work, however small it is. 10 MiB in full packets are 7,200. */
export const MAX_PIECES = 65_536;
/** Refuses what comes in more pieces than a body may have. */
export const tooManyPieces = () =>
  new AppError("input", `The body must come in at most ${MAX_PIECES} chunks; send larger ones`, {
    tag: "too_many_chunks",
    limit: MAX_PIECES,
  });

/** Refuses what stalls. */
export const tooLate = () =>
  new AppError("timeout", "The body did not arrive in time", {
    tag: "request_timeout",
    headers: { Connection: "close" },
  });
/** Refuses what ends before its end. */
export const cutShort = () => new AppError("input", "The request was cut short", { tag: "aborted" });
/** Refuses what cannot be inflated. */
export const corruptBody = () => new AppError("input", "The compressed body is corrupt", { tag: "invalid_encoding" });
