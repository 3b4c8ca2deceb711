// Footer of a printed report: its address, print time and source. Chromium also prints address and page number on every page.
'use client'

import { type ReactNode, useEffect, useState } from 'react'
import { serverAddress } from '@/components/paths/prefix.ts'
import { Timestamp } from '@/components/ui/time.tsx'

export interface PrintedRecord {
  readonly hash: string
  /** True when the stored event still has that hash. */
  readonly isIntact: boolean
}

/** Characters that would end the CSS string, or the style, are left out. */
const cssText = (text: string): string => text.replaceAll(/["\\<>\n]/g, '')

/** Footer of an explanation: confirms that the record is the stored one. */
export function ExplanationFooter({
  path,
  record,
}: {
  readonly path: string
  /** Null: not stored any more. */
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

export function PrintFooter({
  path,
  children,
}: {
  readonly path: string
  readonly children?: ReactNode
}) {
  const [printed, setPrinted] = useState<{ readonly at: number; readonly address: string } | null>(
    null,
  )
  useEffect(() => {
    const now = (): void => setPrinted({ at: Date.now(), address: serverAddress() })
    now()
    window.addEventListener('beforeprint', now)
    return () => window.removeEventListener('beforeprint', now)
  }, [])
  if (printed === null) return null
  const url = `${printed.address}${path}`
  const boxes = `@page { @bottom-left { content: "${cssText(url)}"; font: 7pt sans-serif }
    @bottom-right { content: counter(page) " / " counter(pages); font: 7pt sans-serif } }`
  return (
    <footer className="print-only border-border border-t pt-2 text-small text-text-2">
      <style>{boxes}</style>
      <p>
        {url} · generated <Timestamp at={printed.at} />
      </p>
      {children}
    </footer>
  )
}
