// The whole list that a filter leaves, as a file: for spreadsheets and for programs.
import { Download } from 'lucide-react'
import { FileLink } from '@/components/ui/button.tsx'

interface ExportLinksProps {
  readonly path: string
  readonly query: { readonly filter: object; readonly order?: string }
}

export function ExportLinks({ path, query: { filter, order } }: ExportLinksProps) {
  const href = (format: 'csv' | 'jsonl'): string => {
    const params = new URLSearchParams({ format, filter: JSON.stringify(filter) })
    if (order !== undefined) params.set('order', order)
    return `${path}?${params.toString()}`
  }
  return (
    <>
      <FileLink href={href('csv')} aria-label="Export as CSV">
        <Download size={14} aria-hidden /> CSV
      </FileLink>
      <FileLink href={href('jsonl')} aria-label="Export as JSONL">
        <Download size={14} aria-hidden /> JSONL
      </FileLink>
    </>
  )
}
