'use client'

import { clsx } from 'clsx'
import { Download } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { FileLink } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { PageHeader } from '@/components/ui/page-header.tsx'
import { ColumnsMenu } from './columns-menu.tsx'
import { Refused } from './filter-box.tsx'
import type { FaceHead } from './list-face.tsx'

interface ExportLinksProps {
  readonly path: string
  readonly query: { readonly filter: object; readonly order?: string }
}

function ExportLinks({ path, query: { filter, order } }: ExportLinksProps) {
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

interface ListPageProps {
  readonly face: FaceHead
  readonly title: string
  readonly facts?: ReactNode
  readonly views?: ReactNode
  readonly actions?: ReactNode
  /** Absent: no export. */
  readonly exportPath?: string
  readonly state: {
    readonly filter: object
    readonly order: string
    readonly problem: string | null
  }
  readonly filters?: ReactNode
  /** The list is in a card of a longer page, so it does not render the page's header. */
  readonly isInCard?: boolean
  /** Absent: the list fills the page. */
  readonly above?: ReactNode
  /** The list takes the height that `above` leaves, so that the page has one scroll bar. */
  readonly isFilling?: boolean
  /** Heading of the list's card below `above`; absent: none. */
  readonly heading?: ReactNode
  readonly below?: ReactNode
  readonly children: ReactNode
}

export function ListPage(props: ListPageProps) {
  const { face, title, facts, views, exportPath, state, filters, above, below, children } = props
  const { filter, order, problem } = state
  const actions = (
    <>
      {views}
      {props.actions}
      {problem === null && exportPath !== undefined ? (
        <ExportLinks path={exportPath} query={{ filter, order }} />
      ) : null}
      <ColumnsMenu face={face} />
    </>
  )
  // The key remounts the rows for another filter, so that no patch of the former list applies.
  const rows =
    problem === null ? (
      <Fragment key={JSON.stringify([filter, order])}>{children}</Fragment>
    ) : (
      <Refused />
    )
  if (props.isInCard === true) {
    return (
      <Card>
        <CardHeader
          title={title}
          aside={facts}
          actions={<span className="flex flex-wrap justify-end gap-1">{actions}</span>}
        />
        {filters}
        <div className="flex max-h-[70dvh] flex-col">{rows}</div>
      </Card>
    )
  }
  const header = <PageHeader title={title} facts={facts} actions={actions} />
  if (above === undefined && below === undefined) {
    return (
      <div
        data-range={face.standardRange}
        className="flex h-[calc(100dvh-3.5rem)] min-h-0 flex-col sm:h-full"
      >
        {header}
        {filters}
        {rows}
      </div>
    )
  }
  const isFilling = props.isFilling === true
  return (
    <div
      data-range={face.standardRange}
      className={clsx(isFilling && 'sm:flex sm:h-full sm:flex-col')}
    >
      {header}
      {filters}
      <div
        className={clsx('flex flex-col gap-3 p-4 max-sm:p-2', isFilling && 'sm:min-h-0 sm:flex-1')}
      >
        {above}
        <Card
          className={clsx(
            'flex flex-col overflow-hidden',
            isFilling ? 'max-sm:max-h-168 sm:min-h-72 sm:flex-1' : 'max-h-168',
          )}
        >
          {props.heading}
          {rows}
        </Card>
        {below}
      </div>
    </div>
  )
}
