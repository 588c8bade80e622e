import { useState } from "preact/hooks";

/**
 * Returns a function that runs a request, a flag that is true while the request runs, and the error of the last
 * request.
 */
export function useRequest() {
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const send = (work: Promise<unknown>): void => {
    setBusy(true);
    setError("");
    work.catch((failure: Error) => setError(failure.message)).finally(() => setBusy(false));
  };
  return { busy, error, send };
}
