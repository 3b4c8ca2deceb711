'use client'
// Stays open until the user closes it, so that a key made in it stays visible.
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { ConnectCommand } from './connect-command.tsx'

export function ConnectCard({ onClose }: { readonly onClose: () => void }) {
  return (
    <Card>
      <CardHeader title="Connect a runtime" actions={<Button onClick={onClose}>Close</Button>} />
      <div className="flex flex-col gap-2 p-3">
        <p className="text-text-2">
          A runtime appears in the list when an agent calls <code>createGuardrails</code>, or when a
          coding agent runs under the daemon.
        </p>
        <ConnectCommand />
      </div>
    </Card>
  )
}
