import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "./icon.tsx";

/** A dialog over the page. Escape, its button and a click beside it close it. */
export function Dialog({ title, close, children }: { title: string; close: () => void; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (!box.current?.open) box.current?.showModal();
  }, []);
  return (
    <dialog
      class="dlg"
      ref={box}
      aria-label={title}
      onClose={close}
      onClick={(event) => event.target === box.current && box.current?.close()}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <header class="row">
        <h2>{title}</h2>
        <span class="acts">
          <button class="btn quiet sq" type="button" aria-label="Close" onClick={() => box.current?.close()}>
            <Icon name="x" class="i-14" />
          </button>
        </span>
      </header>
      {children}
    </dialog>
  );
}
