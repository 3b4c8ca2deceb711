'use client'
import { clsx } from 'clsx'
import { Download, Table2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, IconButton } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ScrollBox } from '@/components/ui/scroll-box.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { type ChartTable, formatChartCsv } from './chart-table.ts'

function save(name: string, table: ChartTable): void {
  const url = URL.createObjectURL(
    new Blob([formatChartCsv(table)], { type: 'text/csv;charset=utf-8' }),
  )
  const link = document.createElement('a')
  link.href = url
  link.download = `${name}.csv`
  link.click()
  URL.revokeObjectURL(url)
}

function TableView({ title, table }: { readonly title: string; readonly table: ChartTable }) {
  return (
    <ScrollBox label={`${title} As a table.`} className="max-h-80 overflow-auto">
      <Table>
        <thead>
          <tr>
            {table.columns.map(({ name, isNumber }) => (
              <HeadCell key={name} className={clsx(isNumber && 'text-right')}>
                {name}
              </HeadCell>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((cells) => (
            <Row key={cells.map(({ text }) => text).join(' ')}>
              {cells.map(({ text, href }, index) => (
                <Cell
                  key={table.columns[index]?.name ?? index}
                  className={clsx(
                    table.columns[index]?.isNumber === true && 'text-right tabular-nums',
                  )}
                  title={text}
                >
                  {href === undefined ? (
                    text
                  ) : (
                    <Link className="text-link" href={href}>
                      {text}
                    </Link>
                  )}
                </Cell>
              ))}
            </Row>
          ))}
        </tbody>
      </Table>
    </ScrollBox>
  )
}

export interface ChartFrameProps {
  readonly title: string
  readonly name: string
  readonly summary: string
  readonly note?: ReactNode
  readonly table: ChartTable
  readonly isTable: boolean
  readonly onTable: (isTable: boolean) => void
  readonly actions?: ReactNode
  readonly legend?: ReactNode
  readonly children: ReactNode
}

export function ChartFrame(props: ChartFrameProps) {
  const { title, name, summary, note, table, isTable, onTable, actions, legend, children } = props
  return (
    <Card className="flex min-w-0 flex-col">
      <CardHeader
        title={title}
        aside={summary}
        actions={
          <span className="flex min-w-0 flex-wrap items-center justify-end gap-1 max-sm:justify-start sm:shrink-0">
            {actions}
            <Button
              variant="quiet"
              className="text-link"
              aria-pressed={isTable}
              onClick={() => onTable(!isTable)}
            >
              <Table2 size={14} aria-hidden />
              {isTable ? 'View as chart' : 'View as table'}
            </Button>
            <IconButton label="Download CSV" onClick={() => save(name, table)}>
              <Download size={14} aria-hidden />
            </IconButton>
          </span>
        }
      />
      {isTable ? (
        <TableView title={title} table={table} />
      ) : (
        <div
          className={clsx(
            'grid min-w-0 grid-cols-1',
            legend !== undefined && 'lg:grid-cols-[minmax(0,1fr)_23rem]',
          )}
        >
          <div className="min-w-0 px-1 pt-2 pb-1">{children}</div>
          {legend !== undefined && (
            <div className="border-border max-lg:border-t lg:border-l">{legend}</div>
          )}
        </div>
      )}
      {note !== undefined && (
        <p className="border-border border-t px-3 py-2 text-small text-text-2">{note}</p>
      )}
    </Card>
  )
}
