// A sentence whose Markdown code spans mark names: `deploy` needs `test` first.

export function CodedText({ text }: { readonly text: string }) {
  const parts = text.split('`')
  return (
    <>
      {parts.map((part, index) => {
        const key = `${index} ${part}`
        return index % 2 === 1 ? (
          <code key={key} className="font-mono text-mono">
            {part}
          </code>
        ) : (
          <span key={key}>{part}</span>
        )
      })}
    </>
  )
}
