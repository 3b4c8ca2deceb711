/** A sentence whose Markdown code spans mark names: `deploy` needs `test` first. */
export function Words({ text }: { readonly text: string }) {
  const parts = text.split('`').map((part, place) => ({ part, place }))
  return parts.map(({ part, place }) =>
    place % 2 === 1 ? (
      <code key={place} className="font-mono text-mono">
        {part}
      </code>
    ) : (
      part
    ),
  )
}
