'use client'

import { type ReactElement, useState } from 'react'
import { Button } from './button.tsx'
import { Card, CardHeader } from './card.tsx'

/** A card with a count and its first rows; a button shows the others. */
export function FirstRowsCard({
  title,
  rows,
  few,
}: {
  readonly title: string
  /** List items with keys. */
  readonly rows: readonly ReactElement[]
  /** Most rows shown at first. */
  readonly few: number
}) {
  const [isAll, setAll] = useState(false)
  const hidden = isAll ? 0 : Math.max(0, rows.length - few)
  return (
    <Card>
      <CardHeader title={title} aside={`${rows.length}`} />
      <ul>{rows.slice(0, rows.length - hidden)}</ul>
      {hidden > 0 && (
        <p className="border-border border-t p-2">
          <Button variant="quiet" onClick={() => setAll(true)}>
            Show {hidden} more
          </Button>
        </p>
      )}
    </Card>
  )
}
