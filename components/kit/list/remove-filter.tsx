// A part of the filter that no control shows, as a link brought it: what it is, and the way to take it out.
import { Button } from '@/components/ui/button.tsx'

export function RemoveFilter({
  part,
  onRemove,
}: {
  /** `tool:deploy` */
  readonly part: string
  readonly onRemove: () => void
}) {
  return (
    <Button className="max-w-full" title={`Remove ${part}`} onClick={onRemove}>
      <span className="truncate">
        Remove <code>{part}</code>
      </span>
    </Button>
  )
}
