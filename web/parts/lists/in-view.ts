import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

interface Chosen {
  /** The element that scrolls the rows. */
  body: RefObject<HTMLElement | null>;
  /** The chosen row; undefined for none. */
  id: string | undefined;
  /** Its place among the rows; -1 while it is none of them. */
  at: number;
}

/**
 * Keeps the chosen row in view: as it is chosen, as it moves among the rows, and as what it stands in gets another size.
 * From a row that somebody scrolled away from nothing leads back. The browser itself knows what covers rows: styles tell
 * it by scroll-padding and scroll-margin.
 */
export function useInView({ body, id, at }: Chosen): void {
  const inView = useRef(true);
  const last = useRef<string | undefined>(undefined);
  const row = () => body.current?.querySelector<HTMLElement>('[aria-selected="true"]');
  const show = () => row()?.scrollIntoView({ block: "nearest" });
  useLayoutEffect(() => {
    if (id !== last.current) inView.current = true;
    last.current = id;
    if (inView.current) show();
  }, [id, at]);
  useEffect(() => {
    const [element, box] = [row(), body.current?.closest(".tree, .scroll, .main")];
    if (!element || !box) return;
    const seen = new IntersectionObserver(([entry]) => {
      inView.current = entry?.isIntersecting ?? false;
    });
    const onResize = () => inView.current && show();
    const resized = new ResizeObserver(onResize);
    seen.observe(element);
    resized.observe(box);
    // A part that covers rows may grow while their box does not.
    addEventListener("resize", onResize);
    return () => {
      seen.disconnect();
      resized.disconnect();
      removeEventListener("resize", onResize);
    };
  }, [id, at >= 0]);
}
