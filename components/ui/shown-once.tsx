'use client'
// A secret that the server will not show again, with its copy button.
import { Button } from './button.tsx'
import { CopyButton } from './copy.tsx'

export function ShownOnce({
  children,
  secret,
  copyLabel,
  onDone,
}: {
  /** Description of the secret, with instructions. */
  readonly children: React.ReactNode
  readonly secret: string
  /** Verb and object: "Copy the key". */
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
