export function Words({ text }: { readonly text: string }) {
  const parts = text.split('`').map((part, place) => ({ part, place }))
  return (
    <>
      {parts.map(({ part, place }) =>
        place % 2 === 1 ? (
          <code key={place} className="rounded-badge bg-surface-2 px-1 text-text">
            {part}
          </code>
        ) : (
          part
        ),
      )}
    </>
  )
}
