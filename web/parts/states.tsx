import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icons.tsx";

/** What a list is when nothing is in it, and what to do about that. */
export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ComponentChildren }) {
  return (
    <div class="none">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** What went wrong, with a way to try again. */
export function Failure({ words, retry }: { words: string; retry?: () => void }) {
  return (
    <div class="none fail" role="alert">
      <Icon name="warn" />
      <h2>This could not be read</h2>
      <p>{words}</p>
      {retry && (
        <div class="row">
          <button class="btn" type="button" onClick={retry}>
            <Icon name="retry" class="i-14" />
            Try again
          </button>
        </div>
      )}
    </div>
  );
}

/** Lines where text will stand; not before 200 ms, so that what comes at once does not flicker. */
export function Skeleton({ lines = 8 }: { lines?: number }) {
  const [shown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="sk-list" role="status" aria-label="Loading">
      {shown &&
        Array.from({ length: lines }, (_, n) => (
          <span key={`line ${n}`} class="sk" style={{ width: `${60 + ((n * 29) % 37)}%` }} />
        ))}
    </div>
  );
}
