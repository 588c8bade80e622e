import type { IncomingMessage } from "node:http";
import { AppError, inputError } from "./errors.ts";

/** The bound of a body, and the messages of its refusals. */
export interface BodyRules {
  maxBytes: number;
  tooLarge: string;
  cutOff: string;
}

/** No request of the control plane or OAuth is larger. */
const SMALL_BYTES = 64 * 1024;

/** The rules for bodies of the control plane and OAuth. */
export const SMALL_BODY: BodyRules = {
  maxBytes: SMALL_BYTES,
  tooLarge: `The body may have ${SMALL_BYTES} bytes.`,
  cutOff: "The body could not be read.",
};

/**
 * Reads the body of an API request. Bodies of events, which are larger and may be compressed, have a reader of their own.
 * @throws AppError too_large, before anything is read where the request itself says so, or input for a body that is cut off
 */
export function readBody(request: IncomingMessage, { maxBytes, tooLarge, cutOff }: BodyRules): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const refusal = () => new AppError("too_large", tooLarge, { limit: maxBytes });
    if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw refusal();
    const pieces: Buffer[] = [];
    let size = 0;
    const take = (piece: Buffer) => {
      pieces.push(piece);
      size += piece.length;
      if (size <= maxBytes) return;
      request.off("data", take).pause();
      reject(refusal());
    };
    const cut = () => reject(inputError(cutOff));
    const end = () => resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces));
    request.on("data", take).once("end", end).once("aborted", cut).once("error", cut);
  });
}

/** Reads a body as text in UTF-8. @throws AppError as `readBody` does */
export const readText = async (request: IncomingMessage, rules: BodyRules): Promise<string> =>
  utf8.decode(await readBody(request, rules));

const utf8 = new TextDecoder();
