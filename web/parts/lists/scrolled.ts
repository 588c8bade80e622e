/** Milliseconds without scrolling after which the list counts as resting. */
const REST_MS = 400;

/** Follows the scroll position of an element. Calls `changed` after each change and when the element comes to rest. */
export function createScrollObserver(changed: () => void) {
  let followed: HTMLElement | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ofWindow = () => followed === document.documentElement;
  const rest = () => {
    self.moves = false;
    changed();
  };
  // Reads only the scroll position here. After a change of the document, reading another layout property would force a
  // layout.
  const onScroll = () => {
    self.top = followed?.scrollTop ?? 0;
    self.moves = true;
    clearTimeout(timer);
    timer = setTimeout(rest, REST_MS);
    changed();
  };
  const onSize = () => {
    const before = self.height;
    self.height = (ofWindow() ? innerHeight : followed?.clientHeight) ?? 0;
    if (self.height !== before) changed();
  };
  const resized = new ResizeObserver(onSize);
  const stop = () => {
    clearTimeout(timer);
    resized.disconnect();
    removeEventListener("resize", onSize);
    (ofWindow() ? window : followed)?.removeEventListener("scroll", onScroll);
    followed = null;
    self.moves = false;
  };
  const self = {
    /** Scroll position in pixels. */
    top: 0,
    /** Visible height in pixels; zero until known. */
    height: 0,
    /** True while the user scrolls. */
    moves: false,
    /**
     * Starts to follow another element. If the element is the root element of the document, follows the scroll position
     * of the window.
     */
    follow: (element: HTMLElement | null) => {
      if (element === followed) return;
      stop();
      followed = element;
      if (!element) return;
      (ofWindow() ? window : element).addEventListener("scroll", onScroll, { passive: true });
      if (ofWindow()) addEventListener("resize", onSize);
      else resized.observe(element);
      self.top = element.scrollTop;
      onSize();
    },
    stop,
  };
  return self;
}
