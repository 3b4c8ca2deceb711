// A part of the filter without a control, as set by a link: its description and a button that removes it.
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
