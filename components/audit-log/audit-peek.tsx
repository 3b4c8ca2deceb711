'use client'

import { Fact, Facts, Peek } from '@/components/kit/list/peek.tsx'
import { findPagePath } from '@/components/paths/id-path.ts'
import { IdChip } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ListedAuditEntry } from '@/server/audit-log/audit-log.sql.ts'
import { fieldChanges, fieldLabel, valueText } from './audit-change.ts'
import { actionText } from './audit-words.ts'

export function AuditPeek({
  entry,
  onClose,
}: {
  readonly entry: ListedAuditEntry
  readonly onClose: () => void
}) {
  const href = findPagePath(entry.target)
  return (
    <Peek title="Entry" onClose={onClose}>
      <div className="flex flex-col items-start gap-3">
        <p className="break-words font-semibold text-h1">
          {entry.actor} {actionText(entry.action)}
        </p>
        <Facts>
          <Fact name="At">
            <Timestamp at={entry.at} style="second" />
          </Fact>
          <Fact name="To">
            <IdChip id={entry.target} label="Copy the target's id" />
          </Fact>
          <Fact name="IP address">{entry.origin ?? 'unknown, or Signalbox itself'}</Fact>
        </Facts>
        <Changes entry={entry} />
        <p className="flex gap-4">
          <Link href={`/settings/audit-log/${entry.id}`} className="text-link underline">
            Open the entry
          </Link>
          {href === null ? null : (
            <Link href={href} className="text-link underline">
              Open the changed object
            </Link>
          )}
        </p>
      </div>
    </Peek>
  )
}

function Changes({ entry }: { readonly entry: ListedAuditEntry }) {
  const fields = fieldChanges(entry.before, entry.after).filter(({ isChanged }) => isChanged)
  if (fields.length === 0) return <p className="text-text-2">No field changed.</p>
  return (
    <section aria-label="Changes" className="w-full">
      <h3 className="font-semibold text-h2 text-text-2">Changed</h3>
      <Facts>
        {fields.map(({ name, before, after }) => (
          <Fact key={name} name={fieldLabel(name)}>
            {before === undefined ? '' : `${valueText(name, before)} → `}
            {valueText(name, after)}
          </Fact>
        ))}
      </Facts>
    </section>
  )
}
