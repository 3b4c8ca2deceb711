export function TraceRows({
  label,
  lines,
}: {
  readonly label: string
  readonly lines: readonly string[]
}) {
  return (
    <ol aria-label={label} className="flex flex-col gap-0.5">
      {lines.map((line, i) => (
        // Lines repeat, and the list is replaced as a whole.
        <li key={`${String(i)} ${line}`} className="flex gap-2 font-mono text-mono">
          <span className="w-6 shrink-0 text-right text-text-3">{i + 1}</span>
          <span className="min-w-0 break-words">{line}</span>
        </li>
      ))}
    </ol>
  )
}
