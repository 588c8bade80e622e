import { AppError } from "../../errors.ts";
import type { Handler } from "../ingestion.ts";
import { answer } from "../request/response.ts";
import { encodeError, encodeInternal, encodeSuccess, encodingOf } from "./encoding.ts";
import { receiveExport } from "./receive.ts";
import { otlpSignals } from "./signals.ts";

/** The paths of OTLP over HTTP. */
export const otlpPaths: readonly string[] = [...otlpSignals.keys()];

/** The handler of OTLP at a path; undefined for other paths. */
export function otlpHandler(path: string): Handler | undefined {
  const signal = otlpSignals.get(path);
  if (!signal) return undefined;
  return {
    async serve(parts, request, response) {
      if (request.method !== "POST") throw onlyPost();
      const { partial, accepted, skipped } = await receiveExport(parts, signal, request);
      const { body, headers } = encodeSuccess(encodingOf(request) ?? "json", signal.rejectedField, partial);
      const counts = {
        "X-Ingest-Accepted": accepted,
        "X-Ingest-Rejected": partial?.rejected ?? 0,
        "X-Ingest-Skipped": skipped,
      };
      answer(response, 200, body, { ...headers, ...counts });
    },
    refuse(request, response, error) {
      const encoding = encodingOf(request) ?? "json";
      const { status, body, headers } = error ? encodeError(encoding, error) : encodeInternal(encoding);
      answer(response, status, body, headers);
    },
  };
}

const onlyPost = () =>
  new AppError("method", "Only POST is allowed here", { tag: "method_not_allowed", headers: { Allow: "POST" } });
