'use client'

import { type ReactNode, useEffect, useState } from 'react'
import { serverAddress } from '@/components/paths/prefix.ts'
import { Timestamp } from '@/components/ui/time.tsx'

/** Removes characters that would end the CSS string or the style element. */
const cssText = (text: string): string => text.replaceAll(/["\\<>\n]/g, '')

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
