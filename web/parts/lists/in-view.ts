import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

interface Chosen {
  /** Element that scrolls the rows. */
  body: RefObject<HTMLElement | null>;
  /** Id of the chosen row; undefined for none. */
  id: string | undefined;
  /** Index of the chosen row; -1 if the list does not contain the row. */
  at: number;
}

/**
 * Scrolls the chosen row into view when the row is chosen, when the row's position changes, and when the scrolling area
 * changes its size. Does not scroll if the user has scrolled away from the row. The style sheet declares covered areas
 * with scroll-padding and scroll-margin.
 */
export function useKeepRowInView({ body, id, at }: Chosen): void {
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
    // Listens to the window too, because a sticky element may grow without changing the size of the scrolling area.
    addEventListener("resize", onResize);
    return () => {
      seen.disconnect();
      resized.disconnect();
      removeEventListener("resize", onResize);
    };
  }, [id, at >= 0]);
}
