'use client'

import { clsx } from 'clsx'
import { Fragment, type ReactNode, useState } from 'react'
import { PageHeader } from '@/components/shell/page-header.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Menu } from '@/components/ui/menu.tsx'
import { ColumnsMenu } from './columns-menu.tsx'
import { Refused } from './filter-box.tsx'
import type { FaceHead } from './list-face.tsx'

interface ExportMenuProps {
  readonly path: string
  readonly query: { readonly filter: object; readonly order?: string }
}

function ExportMenu({ path, query: { filter, order } }: ExportMenuProps) {
  const [isOpen, setOpen] = useState(false)
  const href = (format: 'csv' | 'jsonl'): string => {
    const params = new URLSearchParams({ format, filter: JSON.stringify(filter) })
    if (order !== undefined) params.set('order', order)
    return `${path}?${params.toString()}`
  }
  return (
    <Menu
      label="Export"
      text="Export"
      items={[
        { name: 'As CSV', href: href('csv'), isFile: true },
        { name: 'As JSONL', href: href('jsonl'), isFile: true },
      ]}
      open={isOpen}
      onOpenChange={setOpen}
    />
  )
}

interface ListPageProps {
  readonly face: FaceHead
  readonly title: string
  readonly facts?: ReactNode
  /** Links to the other pages below this header. */
  readonly tabs?: ReactNode
  readonly views?: ReactNode
  readonly actions?: ReactNode
  /** Absent: no export. */
  readonly exportPath?: string
  readonly state: {
    readonly filter: object
    readonly order: string
    readonly problem: string | null
    readonly clear: () => void
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
  // A phone shows cards.
  const columns = (
    <span className="max-md:hidden">
      <ColumnsMenu face={face} />
    </span>
  )
  const actions = (
    <>
      {views}
      {props.actions}
      {problem === null && exportPath !== undefined ? (
        <ExportMenu path={exportPath} query={{ filter, order }} />
      ) : null}
      {props.isInCard === true || filters === undefined ? columns : null}
    </>
  )
  // The key remounts the rows for another filter, so that no patch of the former list applies.
  const rows =
    problem === null ? (
      <Fragment key={JSON.stringify([filter, order])}>{children}</Fragment>
    ) : (
      <Refused onClear={state.clear} />
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
        <div className="flex max-h-[max(60dvh,100dvh-18rem)] flex-col">{rows}</div>
      </Card>
    )
  }
  const header = (
    <>
      <PageHeader title={title} facts={facts} actions={actions} />
      {props.tabs}
      {filters === undefined ? null : (
        <div className="flex shrink-0">
          <div className="min-w-0 flex-1">{filters}</div>
          <div className="border-border border-b bg-surface-2 py-1.5 pr-4 max-md:hidden">
            {columns}
          </div>
        </div>
      )}
    </>
  )
  if (above === undefined && below === undefined) {
    return (
      <div
        data-range={face.standardRange}
        className="flex h-[calc(100dvh-3.5rem)] min-h-0 flex-col sm:h-full"
      >
        {header}
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
      <div
        className={clsx('flex flex-col gap-3 p-4 max-sm:p-2', isFilling && 'sm:min-h-0 sm:flex-1')}
      >
        {above}
        <Card
          className={clsx(
            'flex flex-col overflow-hidden',
            isFilling
              ? [
                  'sm:min-h-72',
                  above === null ? 'max-sm:max-h-240' : 'max-sm:max-h-[calc(100dvh-190px)]',
                ]
              : 'max-sm:max-h-240 sm:[--most-rows:33rem]',
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
