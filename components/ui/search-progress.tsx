import { Button } from './button.tsx'

export function SearchProgress({
  text,
  label,
  read,
  all,
  isCanceling,
  onCancel,
}: {
  readonly text: string
  readonly label: string
  readonly read: number
  /** Null: not known yet. */
  readonly all: number | null
  readonly isCanceling: boolean
  readonly onCancel: () => void
}) {
  return (
    <section className="flex flex-col items-start gap-3 p-4">
      <p aria-live="polite">{text}</p>
      <progress
        aria-label={label}
        className="h-1.5 w-48 accent-accent"
        max={all ?? 1}
        value={all === null ? 0 : read}
      />
      <Button disabled={isCanceling} onClick={onCancel}>
        Cancel
      </Button>
    </section>
  )
}
