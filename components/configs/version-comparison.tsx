'use client'

import { VersionChanges } from '@/components/releases/version-changes.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import type { ConfigDetail } from '@/server/configs/configs.ts'

export function VersionComparison({
  config,
  versions,
  onClose,
}: {
  readonly config: ConfigDetail
  /** Older version first. */
  readonly versions: readonly [number, number]
  readonly onClose: () => void
}) {
  const [from, to] = versions
  return (
    <Card>
      <CardHeader
        title={`v${from} → v${to}`}
        actions={<Button onClick={onClose}>End the comparison</Button>}
      />
      <div className="p-3">
        <VersionChanges config={config} from={from} to={to} startsOpen />
      </div>
    </Card>
  )
}
