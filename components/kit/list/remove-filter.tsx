import { Button } from '@/components/ui/button.tsx'

export function RemoveFilter({
  part,
  onRemove,
}: {
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
