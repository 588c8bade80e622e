import { useState } from "preact/hooks";

/** Sends what a form or a button asks for; keeps whether it is under way, and the error of the last time. */
export function useSending() {
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const send = (work: Promise<unknown>): void => {
    setBusy(true);
    setError("");
    work.catch((failure: Error) => setError(failure.message)).finally(() => setBusy(false));
  };
  return { busy, error, send };
}
