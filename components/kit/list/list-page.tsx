// The page of a list: a header with saved views, export and columns, the filter, and the rows in their own scroll box.
'use client'

import { Fragment, type ReactNode } from 'react'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { PageHeader } from '@/components/ui/page-header.tsx'
import { ExportLinks } from './export-links.tsx'
import { Refused } from './filter-box.tsx'
import { ColumnsMenu } from './list-columns.tsx'
import type { FaceHead } from './list-face.tsx'

interface ListPageProps {
  readonly face: FaceHead
  readonly title: string
  /** Subtitle: the contents of the list. */
  readonly facts?: ReactNode
  readonly views: ReactNode
  /** Before the export. */
  readonly actions?: ReactNode
  /** Absent: the list has no file. */
  readonly exportPath?: string
  readonly state: {
    readonly filter: object
    readonly order: string
    readonly problem: string | null
  }
  readonly filters: ReactNode
  /** The list stands in a card of a longer page. */
  readonly isInCard?: boolean
  /** Rows of the list; not drawn while the filter text cannot be read. */
  readonly children: ReactNode
}

export function ListPage(props: ListPageProps) {
  const {
    face,
    title,
    facts,
    views,
    exportPath,
    state,
    filters,
    isInCard = false,
    children,
  } = props
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
  const rows =
    problem === null ? (
      // Another filter is another list: nothing of the former one is patched into it.
      <Fragment key={JSON.stringify([filter, order])}>{children}</Fragment>
    ) : (
      <Refused />
    )
  if (isInCard) {
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
  return (
    <div className="flex h-[calc(100dvh-3.5rem)] min-h-0 flex-col sm:h-full">
      <PageHeader title={title} facts={facts} actions={actions} />
      {filters}
      {rows}
    </div>
  )
}
