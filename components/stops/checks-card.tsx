// The checks of a stop as evaluated, and on request what the untouched ones would have said: computed now from the recorded
// facts, marked as such, never part of the record.
'use client'

import { useState } from 'react'
import { CheckTree } from '@/components/audit/check-tree.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import type { StopAudit } from '@/server/services/audit/stop-audit.ts'

const MODE = {
  all: 'all must pass · evaluation stops at the first failure',
  any: 'one must pass · evaluation stops at the first success',
} as const

export function ChecksCard({ audit }: { readonly audit: StopAudit }) {
  const [isShown, setShown] = useState(false)
  const { checks, computedNow, rootMode, config } = audit
  return (
    <Card>
      <CardHeader
        title="Checks"
        {...(rootMode === null ? {} : { aside: MODE[rootMode] })}
        actions={
          computedNow === null ? null : (
            <Button className="no-print" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
              {isShown ? 'Show the record only' : 'Evaluate the rest'}
            </Button>
          )
        }
      />
      {checks === null ? (
        <p className="p-3 text-text-2">
          No completion checker is configured for this prompt, so nothing was checked.
        </p>
      ) : (
        <CheckTree root={checks} label="Checks as recorded" />
      )}
      {isShown && computedNow !== null ? (
        <div className="border-border border-t">
          <p className="px-3 pt-2 text-small text-text-2">
            Computed now with {config === null ? 'the same config' : `v${config.number}`} over the
            recorded facts. The record above is unchanged.
          </p>
          <CheckTree root={computedNow} label="Checks computed now" />
        </div>
      ) : null}
    </Card>
  )
}
