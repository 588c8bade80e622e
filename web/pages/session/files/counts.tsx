/** Numbers of added and removed lines. */
export const LineCounts = ({ added, removed }: { added: number; removed: number }) => (
  <code class="counts">
    <span class="c-ok">+{added}</span> <span class="c-fail">−{removed}</span>
  </code>
);
