import type { IncomingMessage, ServerResponse } from "node:http";
import type { AppError } from "../../errors.ts";
import type { Ingestion } from "../ingestion.ts";

/** What stands behind a path of ingestion: how a request ends well there, and how it does not. */
export interface Handler {
  /** Answers a success. @throws AppError or Unavailable for everything else */
  serve(parts: Ingestion, request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Answers an error; undefined stands for one that the caller is told nothing of. */
  refuse(request: IncomingMessage, response: ServerResponse, error: AppError | undefined, requestId: string): void;
}
