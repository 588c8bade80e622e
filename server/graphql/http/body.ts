import type { IncomingMessage } from "node:http";
import { AppError, inputError } from "../../errors.ts";

/**
 * Reads a body of at most so many bytes.
 * @throws AppError 413, before anything is read where the request itself says so, or 400 for a body that is cut off
 */
export function readBody(request: IncomingMessage, most: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers["content-length"] ?? 0) > most) throw tooLarge(most);
    const pieces: Buffer[] = [];
    let size = 0;
    const take = (piece: Buffer) => {
      pieces.push(piece);
      size += piece.length;
      if (size <= most) return;
      request.off("data", take).pause();
      reject(tooLarge(most));
    };
    const cut = () => reject(inputError("the body did not arrive whole"));
    const end = () => resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces));
    request.on("data", take).once("end", end).once("aborted", cut).once("error", cut);
  });
}

const tooLarge = (limit: number) => new AppError("too_large", `the body must be at most ${limit} bytes`, { limit });
