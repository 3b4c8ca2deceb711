'use client'
// The server will not show the secret again.
import { Button } from './button.tsx'
import { CopyButton } from './copy.tsx'

export function ShownOnce({
  children,
  secret,
  copyLabel,
  onDone,
}: {
  readonly children: React.ReactNode
  readonly secret: string
  readonly copyLabel: string
  readonly onDone: () => void
}) {
  return (
    <div className="flex flex-col gap-3">
      {children}
      <p className="flex items-center gap-1 rounded-control border border-border bg-surface-2 p-2">
        <code data-testid="secret" className="min-w-0 flex-1 break-all">
          {secret}
        </code>
        <CopyButton text={secret} label={copyLabel} />
      </p>
      <Button variant="primary" onClick={onDone}>
        Done
      </Button>
    </div>
  )
}
