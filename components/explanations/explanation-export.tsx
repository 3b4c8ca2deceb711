// Exports of an explanation: a printed report, JSON with its own digest, Markdown, and a signed file that can be verified elsewhere.
'use client'

import { FileCheck, FileText } from 'lucide-react'
import { ExportMenu, PRINT } from './export-menu.tsx'
import { PrintFooter } from './print-footer.tsx'

/** `path`: path of the report, without a format. `what`: the exported object, "the stop". */
export function ExplanationExport({
  path,
  what,
  isReplayable,
}: {
  readonly path: string
  readonly what: string
  readonly isReplayable: boolean
}) {
  const text = <FileText aria-hidden size={14} className="shrink-0" />
  return (
    <ExportMenu
      label={`Export ${what}`}
      items={[
        PRINT,
        { name: 'JSON', icon: text, isFile: true, href: `${path}?format=json` },
        { name: 'Markdown', icon: text, isFile: true, href: `${path}?format=md` },
        ...(isReplayable
          ? [
              {
                name: 'Portable bundle',
                note: 'verifies offline',
                icon: <FileCheck aria-hidden size={14} className="shrink-0" />,
                isFile: true as const,
                href: `${path}?format=bundle`,
              },
            ]
          : []),
      ]}
    />
  )
}

export interface PrintedRecord {
  readonly hash: string
  /** True: the stored event still has this hash. */
  readonly isIntact: boolean
}

export function ExplanationFooter({
  path,
  record,
}: {
  readonly path: string
  /** Null: the record is no longer stored. */
  readonly record: PrintedRecord | null
}) {
  return (
    <PrintFooter path={path}>
      <p>
        Checks, message and evidence are as captured; steps, “computed now” and what changed between
        attempts are computed from the record. Times show their time zone.
      </p>
      <p>
        {record === null
          ? 'The event of this decision is no longer stored, so its digest cannot be compared.'
          : `Digest sha256:${record.hash} ${record.isIntact ? 'matches' : 'DOES NOT MATCH'} the stored record.`}
      </p>
    </PrintFooter>
  )
}
