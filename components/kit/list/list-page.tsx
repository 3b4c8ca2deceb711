// The page of a list: a header with saved views, export and columns, the filter, and the rows in their own scroll box, which fills the page
// or, beside other parts, has a place in it.
'use client'

import { Fragment, type ReactNode } from 'react'
import { Card } from '@/components/ui/card.tsx'
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
  readonly views?: ReactNode
  /** Before the export. */
  readonly actions?: ReactNode
  /** Absent: there is no export. */
  readonly exportPath?: string
  readonly state: {
    readonly filter: object
    readonly order: string
    readonly problem: string | null
  }
  readonly filters?: ReactNode
  /** Other parts of the page, which scroll with it. Absent: the list fills the page. */
  readonly above?: ReactNode
  readonly below?: ReactNode
  /** Rows of the list; not drawn while the filter text cannot be read. */
  readonly children: ReactNode
}

export function ListPage(props: ListPageProps) {
  const { face, title, facts, views, actions, exportPath, state, filters, children } = props
  const { filter, order, problem } = state
  const isFilled = props.above === undefined && props.below === undefined
  // Another filter is another list: nothing of the former one is patched into it.
  const list =
    problem === null ? (
      <Fragment key={JSON.stringify([filter, order])}>{children}</Fragment>
    ) : (
      <Refused />
    )
  return (
    <div
      className={isFilled ? 'flex h-[calc(100dvh-3.5rem)] min-h-0 flex-col sm:h-full' : undefined}
    >
      <PageHeader
        title={title}
        facts={facts}
        actions={
          <>
            {views}
            {actions}
            {problem === null && exportPath !== undefined ? (
              <ExportLinks path={exportPath} query={{ filter, order }} />
            ) : null}
            <ColumnsMenu face={face} />
          </>
        }
      />
      {filters}
      {isFilled ? (
        list
      ) : (
        <div className="flex flex-col gap-3 p-4 max-sm:p-2">
          {props.above}
          <Card className="flex max-h-168 flex-col overflow-hidden">{list}</Card>
          {props.below}
        </div>
      )}
    </div>
  )
}
