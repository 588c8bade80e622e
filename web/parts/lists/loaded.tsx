import type { ComponentChildren } from "preact";
import { LoadError, LoadingPlaceholder } from "../states.tsx";

interface LoadedProps<Data> {
  data: Data | undefined;
  error?: Error | undefined;
  retry: () => void;
  /** Number of placeholder lines. */
  lines?: number;
  children: (data: Data) => ComponentChildren;
}

/**
 * Shows the content for the data. Shows a placeholder before the response arrives, and a message with a retry button
 * after an error.
 */
export function LoadedContent<Data>({ data, error, retry, lines = 8, children }: LoadedProps<Data>) {
  if (data !== undefined) return <>{children(data)}</>;
  return error ? <LoadError words={error.message} retry={retry} /> : <LoadingPlaceholder lines={lines} />;
}
